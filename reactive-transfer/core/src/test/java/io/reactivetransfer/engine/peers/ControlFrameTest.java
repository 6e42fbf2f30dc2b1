package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
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
    assertThat(bytes(ControlFrame.message(5, ByteBuffer.wrap(new byte[] {7, 8}))))
        .containsExactly(2, 5, 0, 0, 0, 0, 7, 8);
    assertThat(bytes(ControlFrame.credit(9, ControlFrame.ALL_CHANNELS, 0x01020304, 258)))
        .containsExactly(3, 0, 0, 0, 9, -1, 1, 2, 3, 4, 0, 0, 1, 2);
    assertThat(bytes(ControlFrame.barrier(new EngineId(1, 2), 9, 3, 4)))
        .containsExactly(
            7, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 9, 0, 0, 0, 3, 0, 0, 0, 4);
    assertThat(bytes(ControlFrame.nicMessage(3, 4, ByteBuffer.wrap(new byte[] {7, 8}))))
        .containsExactly(12, 3, 4, 7, 8);
    assertThat(bytes(ControlFrame.dismissal("ab"))).containsExactly(11, 'a', 'b');
  }

  @Test
  void theLongestOfThemFitIntoWhatIsAskedOfEveryControlChannel() {
    assertThat(GreetingTest.longest().toFrame().remaining())
        .isLessThanOrEqualTo(ControlFrame.MAX_HELLO_BYTES);
    ByteBuffer nicMessage = ByteBuffer.allocate(NicMessages.MAX_BYTES);
    assertThat(ControlFrame.nicMessage(7, 7, nicMessage).remaining())
        .isLessThanOrEqualTo(ControlFrame.MAX_HELLO_BYTES);
    AbortFrame abort = new AbortFrame(-1, -1, -1, -1, "\uffff".repeat(100_000));
    assertThat(ControlFrame.abort(abort, 0).remaining())
        .isLessThanOrEqualTo(ControlFrame.MAX_HELLO_BYTES);
    assertThat(ControlFrame.barrier(new EngineId(-1, -1), -1, -1, -1).remaining())
        .isLessThanOrEqualTo(ControlFrame.MAX_HELLO_BYTES);
    assertThat(ControlFrame.dismissal("\uffff".repeat(100_000)).remaining())
        .isLessThanOrEqualTo(ControlFrame.MAX_HELLO_BYTES);
  }

  @Test
  void aMessageIsACopyOfWhatRemains() {
    ByteBuffer content = ByteBuffer.wrap(new byte[] {1, 2, 3, 4}).position(1).limit(3);
    ByteBuffer frame = ControlFrame.message(0, content);
    content.put(1, (byte) 99);
    assertThat(content.remaining()).isEqualTo(2);
    assertThat(bytes(frame)).containsExactly(2, 0, 0, 0, 0, 0, 2, 3);
    assertThat(bytes(ControlFrame.message(0, ByteBuffer.allocateDirect(0).asReadOnlyBuffer())))
        .containsExactly(2, 0, 0, 0, 0, 0);
  }
}
