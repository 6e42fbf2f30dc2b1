package io.reactivetransfer.examples.jlama;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;

class OrderBodyTest {

  @Test
  void isReadAsItWasWritten() {
    for (int flags = 0; flags < 8; flags++) {
      OrderBody body =
          new OrderBody(7, (flags & 1) != 0, (flags & 2) != 0, (flags & 4) != 0, List.of(3, 0));
      OrderBody read = OrderBody.read(body.write(), 4);
      assertThat(read).isEqualTo(body);
    }
  }

  @Test
  void whatIsNoPromptIsRefused() {
    assertThatThrownBy(() -> OrderBody.read(ByteBuffer.allocate(8), 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("8 bytes");
    assertThatThrownBy(() -> OrderBody.read(ByteBuffer.allocate(13), 4))
        .isInstanceOf(IllegalArgumentException.class);
    OrderBody unknown = new OrderBody(0, true, true, false, List.of(1, 4));
    assertThatThrownBy(() -> OrderBody.read(unknown.write(), 4))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("0 to 3, got 4");
  }
}
