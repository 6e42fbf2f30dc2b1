package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class AsksTest {

  @Test
  void aTextOfAPeerWritesNoLinesOfItsOwnAndHasABound() {
    byte[] hostile = ("a\nb\u001b[2J" + "x".repeat(100_000)).getBytes(StandardCharsets.UTF_8);
    assertThat(Asks.text(ByteBuffer.wrap(hostile)))
        .startsWith("a?b?[2Jxxx")
        .hasSize(Asks.shortened("x".repeat(100_000)).length);
    assertThat(Asks.text(ByteBuffer.allocate(0))).isEmpty();
  }
}
