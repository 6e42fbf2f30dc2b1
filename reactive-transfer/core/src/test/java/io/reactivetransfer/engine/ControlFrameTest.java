package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.PeerAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** What two versions of the library say to each other. */
class ControlFrameTest {

  private static byte[] bytes(ByteBuffer frame) {
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return bytes;
  }

  @Test
  void theirFormIsFixed() {
    PeerAddress address = EngineByHand.address(1, 2);
    byte[] hello = bytes(ControlFrame.hello(address, 0x01020304));
    assertThat(hello).startsWith(1, 1, 2, 3, 4);
    assertThat(PeerAddress.fromBytes(java.util.Arrays.copyOfRange(hello, 5, hello.length)))
        .isEqualTo(address);
    assertThat(bytes(ControlFrame.message(ByteBuffer.wrap(new byte[] {7, 8}))))
        .containsExactly(2, 7, 8);
    assertThat(bytes(ControlFrame.credit(0x01020304))).containsExactly(3, 1, 2, 3, 4);
  }

  @Test
  void aMessageIsACopyOfWhatRemains() {
    ByteBuffer content = ByteBuffer.wrap(new byte[] {1, 2, 3, 4}).position(1).limit(3);
    ByteBuffer frame = ControlFrame.message(content);
    content.put(1, (byte) 99);
    assertThat(content.remaining()).isEqualTo(2);
    assertThat(bytes(frame)).containsExactly(2, 2, 3);
    assertThat(bytes(ControlFrame.message(ByteBuffer.allocateDirect(0).asReadOnlyBuffer())))
        .containsExactly(2);
  }
}
