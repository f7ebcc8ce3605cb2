import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Runs every conformance vector through the C ABI by java.lang.foreign: {@code java Vectors.java LIBRARY FOLDER}, FOLDER
 * being tests/vectors. Fails on the first difference, on a kind that it does not know, and on a count that is not the
 * manifest's.
 */
final class Vectors {
    private static final int BYTES = 0;
    private static final int TEXT = 1;
    private static final int LONG = 2;
    private static final int INT = 3;
    private static final int BOOL = 4;
    private static final int EXPLAIN_JSON = 1;

    private final Library library;

    private Vectors(Library library) {
        this.library = library;
    }

    private static void check(String what, Object found, Object expected) {
        if (!Objects.equals(found, expected)) {
            throw new AssertionError(what + ": " + found + ", expected " + expected);
        }
    }

    /** A router with the snapshot in force; closed with its handles. */
    private final class Ring implements AutoCloseable {
        final Arena arena = Arena.ofConfined();
        final MemorySegment router;
        MemorySegment snapshot = MemorySegment.NULL;
        final long fingerprint;

        Ring(String document) {
            MemorySegment topology = parse(document);
            this.fingerprint = (long) library.value("topology_fingerprint", JAVA_LONG, topology);
            MemorySegment made = arena.allocate(ADDRESS);
            library.call("router_new", topology, 1L, made);
            this.router = made.get(ADDRESS, 0);
            library.free("topology", topology);
            look();
        }

        void look() {
            library.free("snapshot", snapshot);
            MemorySegment taken = arena.allocate(ADDRESS);
            library.call("router_snapshot", router, taken);
            this.snapshot = taken.get(ADDRESS, 0);
        }

        String name(int node) {
            MemorySegment id = arena.allocate(ADDRESS);
            MemorySegment length = arena.allocate(JAVA_LONG);
            library.call("snapshot_node_id", snapshot, node, id, length);
            byte[] bytes = id.get(ADDRESS, 0).reinterpret(length.get(JAVA_LONG, 0)).toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
            return new String(bytes, java.nio.charset.StandardCharsets.UTF_8);
        }

        String owner(Object form) {
            MemorySegment node = arena.allocate(JAVA_INT);
            Map<String, Object> key = Json.object(form);
            if (key.containsKey("hash")) {
                long hash = Long.parseUnsignedLong((String) key.get("hash"));
                library.call("router_route_hash", router, hash, node, MemorySegment.NULL);
            } else {
                library.call("router_route_typed", router, key(arena, form), node, MemorySegment.NULL);
                int first = node.get(JAVA_INT, 0);
                library.call("snapshot_route_typed", snapshot, key(arena, form), node, MemorySegment.NULL);
                check("the snapshot's node", node.get(JAVA_INT, 0), first);
            }
            return name(node.get(JAVA_INT, 0));
        }

        long hash(Object form) {
            MemorySegment hash = arena.allocate(JAVA_LONG);
            library.call("snapshot_hash_typed", snapshot, key(arena, form), hash);
            return hash.get(JAVA_LONG, 0);
        }

        @Override
        public void close() {
            library.free("snapshot", snapshot);
            library.free("router", router);
            arena.close();
        }
    }

    private MemorySegment parse(String document) {
        try (Arena arena = Arena.ofConfined()) {
            byte[] bytes = Library.utf8(document);
            MemorySegment made = arena.allocate(ADDRESS);
            library.call("topology_from_json", library.bytes(arena, bytes), (long) bytes.length, made);
            return made.get(ADDRESS, 0);
        }
    }

    private static long whole(Object value) {
        return value instanceof BigInteger number ? number.longValueExact() : Long.parseLong((String) value);
    }

    private MemorySegment key(Arena arena, Object form) {
        var only = Json.object(form).entrySet().iterator().next();
        byte[] none = {};
        return switch (only.getKey()) {
            case "text" -> library.key(arena, TEXT, Library.utf8((String) only.getValue()), 0);
            case "hex" -> library.key(arena, BYTES, HexFormat.of().parseHex((String) only.getValue()), 0);
            case "i64" -> library.key(arena, LONG, none, whole(only.getValue()));
            case "i32" -> library.key(arena, INT, none, whole(only.getValue()));
            case "bool" -> library.key(arena, BOOL, none, (boolean) only.getValue() ? 1 : 0);
            default -> throw new AssertionError("a form of a key that is not known: " + only.getKey());
        };
    }

    private static byte[] plain(Object form) {
        var only = Json.object(form).entrySet().iterator().next();
        return switch (only.getKey()) {
            case "text" -> Library.utf8((String) only.getValue());
            case "hex" -> HexFormat.of().parseHex((String) only.getValue());
            default -> ByteBuffer.allocate(8).putLong(whole(only.getValue())).array();
        };
    }

    private Ring open(Map<String, Object> vector) {
        return new Ring(Json.write(vector.get("topology")));
    }

    private int run(String kind, Map<String, Object> vector) {
        return switch (kind) {
            case "hashes" -> hashes(vector);
            case "routes" -> routes(vector);
            case "explain" -> explain(vector);
            case "replicas" -> replicas(vector);
            case "groups" -> groups(vector);
            case "ejections" -> ejections(vector);
            case "fingerprints" -> {
                try (Ring ring = open(vector)) {
                    check("fingerprint", String.format("%016x", ring.fingerprint), vector.get("fingerprint"));
                }
                yield 1;
            }
            case "errors" -> errors(vector);
            default -> throw new AssertionError("unknown kind " + kind + ": teach it to this runner");
        };
    }

    private int hashes(Map<String, Object> vector) {
        String document = "{\"format\":1,\"scheme\":{\"native\":\"ring-v1\"},\"key_hasher\":\""
                + vector.get("key_hasher") + "\",\"nodes\":[{\"id\":\"a\"}]}";
        List<Object> keys = Json.list(vector.get("keys"));
        List<Object> hashes = Json.list(vector.get("hashes"));
        try (Ring ring = new Ring(document)) {
            for (int at = 0; at < keys.size(); at++) {
                check("hash", Long.toUnsignedString(ring.hash(keys.get(at))), hashes.get(at));
            }
        }
        return keys.size();
    }

    private int routes(Map<String, Object> vector) {
        List<Object> keys = Json.list(vector.get("keys"));
        List<Object> owners = Json.list(vector.get("owners"));
        try (Ring ring = open(vector)) {
            for (int at = 0; at < keys.size(); at++) {
                check("owner", ring.owner(keys.get(at)), owners.get(at));
            }
        }
        return keys.size();
    }

    private int explain(Map<String, Object> vector) {
        List<Object> keys = Json.list(vector.get("keys"));
        try (Ring ring = open(vector)) {
            for (int at = 0; at < keys.size(); at++) {
                MemorySegment made = ring.arena.allocate(ADDRESS);
                library.call("router_explain_typed", ring.router, key(ring.arena, keys.get(at)), EXPLAIN_JSON, made);
                MemorySegment text = made.get(ADDRESS, 0);
                MemorySegment data = (MemorySegment) library.value("text_data", ADDRESS, text);
                long length = (long) library.value("text_length", JAVA_LONG, text);
                Map<String, Object> told = Json.object(Json.read(data.reinterpret(length + 1).getString(0)));
                library.free("text", text);
                check("hash", told.get("hash").toString(), Json.list(vector.get("hashes")).get(at));
                check("point", told.get("point").toString(), Json.list(vector.get("points")).get(at));
                check("owner", told.get("owner"), Json.list(vector.get("owners")).get(at));
                check("owner", ring.owner(keys.get(at)), told.get("owner"));
            }
        }
        return keys.size();
    }

    private int replicas(Map<String, Object> vector) {
        List<Object> keys = Json.list(vector.get("keys"));
        long wanted = whole(vector.get("n"));
        try (Ring ring = open(vector)) {
            for (int at = 0; at < keys.size(); at++) {
                MemorySegment nodes = ring.arena.allocate(JAVA_INT, wanted + 1);
                MemorySegment count = ring.arena.allocate(JAVA_LONG);
                library.call("router_replicas_typed", ring.router, key(ring.arena, keys.get(at)), nodes, wanted, count,
                        MemorySegment.NULL);
                List<Object> names = new ArrayList<>();
                for (long one = 0; one < count.get(JAVA_LONG, 0); one++) {
                    names.add(ring.name(nodes.getAtIndex(JAVA_INT, one)));
                }
                check("owners", names, Json.list(vector.get("owners")).get(at));
            }
        }
        return keys.size();
    }

    private int groups(Map<String, Object> vector) {
        List<Object> keys = Json.list(vector.get("keys"));
        ByteArrayOutputStream data = new ByteArrayOutputStream();
        try (Ring ring = open(vector)) {
            MemorySegment offsets = ring.arena.allocate(JAVA_INT, keys.size() + 1);
            for (int at = 0; at < keys.size(); at++) {
                data.writeBytes(plain(keys.get(at)));
                offsets.setAtIndex(JAVA_INT, at + 1, data.size());
            }
            MemorySegment made = ring.arena.allocate(ADDRESS);
            MemorySegment bytes = library.bytes(ring.arena, data.toByteArray());
            library.call("router_group", ring.router, bytes, (long) data.size(), offsets, (long) keys.size(), made);
            MemorySegment groups = made.get(ADDRESS, 0);
            long count = (long) library.value("groups_count", JAVA_LONG, groups);
            List<Object> found = new ArrayList<>();
            for (long group = 0; group < count; group++) {
                MemorySegment node = ring.arena.allocate(JAVA_INT);
                MemorySegment start = ring.arena.allocate(ADDRESS);
                MemorySegment length = ring.arena.allocate(JAVA_LONG);
                library.call("groups_get", groups, group, node, start, length);
                int[] indices = start.get(ADDRESS, 0).reinterpret(4 * length.get(JAVA_LONG, 0)).toArray(JAVA_INT);
                List<Object> numbers = new ArrayList<>();
                for (int index : indices) {
                    numbers.add(BigInteger.valueOf(index));
                }
                found.add(Map.of("node", ring.name(node.get(JAVA_INT, 0)), "indices", numbers));
            }
            library.free("groups", groups);
            check("groups", found, vector.get("groups"));
        }
        return Math.max(1, keys.size());
    }

    private int ejections(Map<String, Object> vector) {
        List<Object> keys = Json.list(vector.get("keys"));
        List<Object> steps = Json.list(vector.get("steps"));
        try (Ring ring = open(vector)) {
            for (Object one : steps) {
                Map<String, Object> step = Json.object(one);
                String verb = step.containsKey("eject") ? "eject" : "revive";
                byte[] id = Library.utf8((String) step.get(verb));
                library.call("router_" + verb, ring.router, library.bytes(ring.arena, id), (long) id.length, MemorySegment.NULL);
                ring.look();
                for (int at = 0; at < keys.size(); at++) {
                    String owner;
                    try {
                        owner = ring.owner(keys.get(at));
                    } catch (Library.Failure failure) {
                        check("code", failure.code, "ShardNotAvailable");
                        owner = null;
                    }
                    // No list: there is no owner for any key.
                    check("owner", owner, step.get("owners") == null ? null : Json.list(step.get("owners")).get(at));
                }
            }
        }
        return keys.size() * steps.size();
    }

    private int errors(Map<String, Object> vector) {
        try {
            parse((String) vector.get("document"));
        } catch (Library.Failure failure) {
            check("code and place", List.of(failure.code, failure.place), List.of(vector.get("code"), vector.get("place")));
            return 1;
        }
        throw new AssertionError("no error for " + vector.get("document"));
    }

    public static void main(String[] arguments) throws Exception {
        Vectors runner = new Vectors(new Library(Path.of(arguments[0])));
        Path folder = Path.of(arguments[1]);
        List<Object> files = Json.list(Json.object(Json.read(Files.readString(folder.resolve("manifest.json")))).get("files"));
        try (var found = Files.list(folder)) {
            check("files beside the manifest", found.filter(file -> file.toString().endsWith(".json")).count() - 1, (long) files.size());
        }
        int total = 0;
        for (Object listed : files) {
            Map<String, Object> entry = Json.object(listed);
            Map<String, Object> file = Json.object(Json.read(Files.readString(folder.resolve((String) entry.get("file")))));
            check("kind", file.get("kind"), entry.get("kind"));
            int answers = 0;
            for (Object vector : Json.list(file.get("cases"))) {
                answers += runner.run((String) file.get("kind"), Json.object(vector));
            }
            check(entry.get("file") + ": answers", (long) answers, whole(entry.get("answers")));
            total += answers;
        }
        System.out.println("java.lang.foreign: " + total + " passed, 0 failed");
    }
}
