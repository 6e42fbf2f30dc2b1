package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.Probe;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A frame that is shorter or longer than its kind allows is a defect of its sender. */
class ControlFrameLengthTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  @BeforeEach
  void meet() {
    hand.open(2);
    hand.receive(1, hand.hello(1));
  }

  /** All kinds but those that end with a text, or with the bytes of a message. */
  static Stream<ByteBuffer> ofOneLength() {
    return Stream.of(
        EngineByHand.hello(new EngineId(100, 1), 2, 1, 0),
        ControlFrame.credit(1, 2, 1, 1),
        ControlFrame.ask(),
        ControlFrame.alive(),
        ControlFrame.barrier(new EngineId(1, 2), 0, 1, 0),
        ControlFrame.nicsFailed(1),
        ControlFrame.fence(0, 0),
        ControlFrame.fenced(0, 0),
        ControlFrame.aborted(0),
        ControlFrame.cleared(1, 0));
  }

  @ParameterizedTest
  @MethodSource("ofOneLength")
  void oneMoreByteIsADefect(ByteBuffer frame) {
    int route = link().route();
    hand.control().forgetSent();
    hand.receive(1, ByteBuffer.allocate(frame.remaining() + 1).put(frame).rewind());
    assertThat(defects()).isEqualTo(1);
    assertThat(hand.control().sent(ControlFrame.ALIVE)).isEmpty();
    assertThat(link().route()).isEqualTo(route);
  }

  @ParameterizedTest
  @MethodSource("ofOneLength")
  void oneByteLessIsADefect(ByteBuffer frame) {
    hand.receive(1, frame.limit(frame.limit() - 1));
    assertThat(defects()).isEqualTo(1);
  }

  @ParameterizedTest
  @MethodSource("ofOneLength")
  void exactlyThatLengthIsNone(ByteBuffer frame) {
    hand.receive(1, frame);
    assertThat(defects()).isZero();
  }

  @ParameterizedTest
  @MethodSource("ofOneLength")
  void thatOfAStrangerIsADefectToo(ByteBuffer frame) {
    hand.receive(2, ByteBuffer.allocate(frame.remaining() + 1).put(frame).rewind());
    assertThat(defects()).isEqualTo(1);
  }

  @Test
  void whoIsForgottenMayNotKnowItYet() {
    hand.receive(2, ControlFrame.ask());
    hand.receive(2, ControlFrame.alive());
    hand.receive(2, ControlFrame.barrier(new EngineId(1, 2), 0, 1, 0));
    assertThat(defects()).isZero();
  }

  @Test
  void anAbortWithAFlagThatDoesNotExistIsADefect() {
    hand.receive(1, ControlFrame.abort(new AbortFrame(1, 7, 0, 16, "no"), 0));
    assertThat(defects()).isEqualTo(1);
    assertThat(hand.control().sent(ControlFrame.ABORTED)).isEmpty();
  }

  @Test
  void theReasonOfADismissalIsBoundedAndFitToBeShown() {
    Probe<Void> waiting = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(1)));
    hand.turn();
    byte[] reason = "no\u009b\u2028\u202e".repeat(3_000).getBytes(StandardCharsets.UTF_8);
    byte[] frame = Arrays.copyOf(new byte[] {ControlFrame.DISMISSAL}, 1 + reason.length);
    System.arraycopy(reason, 0, frame, 1, reason.length);
    hand.receive(1, ByteBuffer.wrap(frame));
    assertThat(waiting.error())
        .isInstanceOf(PeerUnreachableException.class)
        .hasMessageContaining("no???no???");
    assertThat(waiting.error().getMessage()).hasSizeLessThan(400);
  }

  @Test
  void theReasonOfAnAbortIsFitToBeShown() {
    String reason = "no\n\u001b\u0085\u202e";
    Probe<?> claim = hand.probe(hand.engine().counter(new Imm(7)).next(1));
    hand.turn();
    AbortFrame abort = new AbortFrame(1, 7, 0, ControlFrame.FAILS, reason);
    hand.receive(1, ControlFrame.abort(abort, 0));
    assertThat(claim.error()).hasMessageContaining("no????");
  }

  private PeerLink link() {
    return (PeerLink) hand.peer(1);
  }

  private long defects() {
    return hand.defects();
  }
}
