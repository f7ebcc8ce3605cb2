package io.shardway;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ErrorsTest {
  @Test
  void theCodesAreTheCores() {
    WireReader wire = new WireReader(Native.errorCodes());
    List<String> ofCore = wire.list(() -> wire.int32() + " " + wire.text());
    List<String> ofJava = new ArrayList<>();
    for (ErrorCode code : ErrorCode.values()) {
      ofJava.add(code.number() + " " + code.label());
    }
    assertEquals(ofCore, ofJava);
  }

  @Test
  void everyCodeHasAnExceptionOfItsName() {
    for (ErrorCode code : ErrorCode.values()) {
      RuntimeException error = ShardwayException.of(code, "a sentence", "a.place");
      assertEquals(code.label() + "Exception", error.getClass().getSimpleName());
      ShardwayFault fault = assertInstanceOf(ShardwayFault.class, error);
      assertEquals(code, fault.code());
      assertEquals(code == ErrorCode.CLOSED ? "" : "a.place", fault.place());
      assertEquals("a sentence", error.getMessage());
      assertEquals(code, ErrorCode.of(code.number()));
      assertTrue(
          error instanceof ShardwayException || error instanceof IllegalStateException,
          "outside the hierarchy");
    }
    assertThrows(InternalException.class, () -> ErrorCode.of(0));
  }

  @Test
  void valuesOfEnumsAreTheCoresNumbers() {
    assertEquals(
        List.of("SUCCESS", "FAILURE", "IGNORED"), names(Outcome.values()), "sent as ordinals");
    assertEquals(List.of("SEND", "PROBE", "FAIL_FAST"), names(Admission.values()));
    assertEquals(List.of("EJECTED", "PROBING", "REVIVED"), names(EventKind.values()));
    assertEquals(List.of("PUBLISHED", "UNCHANGED", "KEPT_OLD"), names(Publish.values()));
  }

  private static List<String> names(Enum<?>[] values) {
    return Arrays.stream(values).map(Enum::name).toList();
  }

  @Test
  void afterAnErrorTheNextCallWorks() {
    Router router = new Router(Topology.of("a"));
    for (int time = 0; time < 1_000; time++) {
      assertThrows(UnknownNodeException.class, () -> router.admit("nobody", 0));
      assertEquals("a", router.route("k"));
    }
  }
}
