package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerAddress.NicAddress;
import io.reactivetransfer.spi.Capabilities;
import java.nio.ByteBuffer;
import java.util.Collections;
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
    byte[] hello = bytes(ControlFrame.hello(address, 0x05060708, 0x090A0B0C, 0x01020304));
    assertThat(hello).startsWith(1, 5, 6, 7, 8, 9, 10, 11, 12, 1, 2, 3, 4);
    assertThat(PeerAddress.fromBytes(java.util.Arrays.copyOfRange(hello, 13, hello.length)))
        .isEqualTo(address);
    assertThat(bytes(ControlFrame.message(ByteBuffer.wrap(new byte[] {7, 8}))))
        .containsExactly(2, 7, 8);
    assertThat(bytes(ControlFrame.credit(9, 0x01020304)))
        .containsExactly(3, 0, 0, 0, 9, 1, 2, 3, 4);
    assertThat(bytes(ControlFrame.barrier(new EngineId(1, 2), 9, 3, 4)))
        .containsExactly(
            7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0, 4);
    assertThat(bytes(ControlFrame.dismissal("ab"))).containsExactly(11, 'a', 'b');
  }

  @Test
  void theLongestOfThemFitIntoWhatEveryNicMustTake() {
    NicAddress longest = new NicAddress(new byte[256], new byte[64]);
    PeerAddress address =
        new PeerAddress(
            "n".repeat(32), new EngineId(-1, -1), Collections.nCopies(Nic.MAX_PER_ENGINE, longest));
    assertThat(ControlFrame.hello(address, -1, -1, -1).remaining())
        .isLessThanOrEqualTo(Capabilities.MIN_CONTROL_BYTES);
    AbortFrame abort = new AbortFrame(-1, -1, -1, -1, "\uffff".repeat(100_000));
    assertThat(ControlFrame.abort(abort, 0, new byte[64]).remaining())
        .isLessThanOrEqualTo(Capabilities.MIN_CONTROL_BYTES);
    assertThat(ControlFrame.barrier(new EngineId(-1, -1), -1, -1, -1).remaining())
        .isLessThanOrEqualTo(Capabilities.MIN_CONTROL_BYTES);
    assertThat(ControlFrame.dismissal("\uffff".repeat(100_000)).remaining())
        .isLessThanOrEqualTo(Capabilities.MIN_CONTROL_BYTES);
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
