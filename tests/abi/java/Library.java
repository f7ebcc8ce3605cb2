import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** The functions of libshardway by name, as `shardway.h` declares them. For one thread. */
final class Library {
    /** What a function answered that was not OK. */
    static final class Failure extends RuntimeException {
        private static final long serialVersionUID = 1L;
        final String code;
        final String place;

        Failure(String code, String message, String place) {
            super(code + ": " + message);
            this.code = code;
            this.place = place;
        }
    }

    /** shardway_error_t. */
    private static final long ERROR_SIZE = 8 + 4 + 4 + 8 + 8 + 512 + 128;
    private static final long MESSAGE = 32;
    private static final long PLACE = MESSAGE + 512;
    /** shardway_key_t. */
    private static final long KEY_SIZE = 8 + 4 + 4 + 8 + 8 + 8;

    private static final MemoryLayout WORD = JAVA_LONG;

    final Arena arena = Arena.global();
    private final SymbolLookup symbols;
    private final Map<String, MethodHandle> handles = new HashMap<>();
    private final MemorySegment error;

    Library(Path file) {
        this.symbols = SymbolLookup.libraryLookup(file, arena);
        this.error = arena.allocate(ERROR_SIZE, 8);
        error.set(JAVA_LONG, 0, ERROR_SIZE);
    }

    private static MemoryLayout layout(Object argument) {
        return switch (argument) {
            case Long whole -> WORD;
            case Integer whole -> JAVA_INT;
            case MemorySegment pointer -> ADDRESS;
            default -> throw new IllegalArgumentException(argument.toString());
        };
    }

    /** Calls a function; {@code answer} is what it gives, null for nothing. */
    Object value(String name, MemoryLayout answer, Object... arguments) {
        MemoryLayout[] layouts = Arrays.stream(arguments).map(Library::layout).toArray(MemoryLayout[]::new);
        FunctionDescriptor descriptor =
                answer == null ? FunctionDescriptor.ofVoid(layouts) : FunctionDescriptor.of(answer, layouts);
        MethodHandle handle = handles.computeIfAbsent(name, none -> Linker.nativeLinker()
                .downcallHandle(symbols.findOrThrow("shardway_" + name), descriptor));
        try {
            return handle.invokeWithArguments(arguments);
        } catch (Throwable thrown) {
            throw new IllegalStateException(name, thrown);
        }
    }

    /** Calls a function whose last parameter is the error, and throws what is not OK. */
    void call(String name, Object... arguments) {
        Object[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = error;
        int status = (int) value(name, JAVA_INT, all);
        if (status != 0) {
            MemorySegment code = (MemorySegment) value("status_name", ADDRESS, status);
            throw new Failure(code.reinterpret(64).getString(0), error.getString(MESSAGE), error.getString(PLACE));
        }
    }

    void free(String kind, MemorySegment handle) {
        value(kind + "_free", null, handle);
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    MemorySegment bytes(Arena arena, byte[] bytes) {
        return bytes.length == 0 ? MemorySegment.NULL : arena.allocateFrom(JAVA_BYTE, bytes);
    }

    /** A shardway_key_t. */
    MemorySegment key(Arena arena, int kind, byte[] bytes, long integer) {
        MemorySegment key = arena.allocate(KEY_SIZE, 8);
        key.set(JAVA_LONG, 0, KEY_SIZE);
        key.set(JAVA_INT, 8, kind);
        key.set(JAVA_LONG, 16, integer);
        key.set(ADDRESS, 24, bytes(arena, bytes));
        key.set(JAVA_LONG, 32, bytes.length);
        return key;
    }
}
