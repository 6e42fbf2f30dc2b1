package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.HandScheduler;
import io.reactivetransfer.engine.base.Probe;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rule 15.1: a closed engine that somebody still holds keeps no messages that nobody took. */
class UnreadMessagesTest {

  private static final MessageChannel FIRST = MessageChannel.DEFAULT;
  private static final MessageChannel OTHER = new MessageChannel(20);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  /** A message waits on each of two channels, and a part of one more. */
  private void open() {
    hand.open(1);
    hand.receive(1, hand.hello(1));
    message(FIRST);
    message(OTHER);
    ByteBuffer message =
        ControlFrame.message(0, ByteBuffer.allocate(ControlFrame.MAX_PART_BYTES + 1));
    hand.receive(1, ControlFrame.part(message, 0));
    assertThat(inbox(FIRST).isEmpty() || inbox(OTHER).isEmpty()).isFalse();
    assertThat(arriving()).isNotNull();
  }

  private void message(MessageChannel channel) {
    hand.receive(1, ControlFrame.message(channel.number(), ByteBuffer.allocate(4)));
  }

  private Inbox inbox(MessageChannel channel) {
    return hand.incoming().inbox(channel);
  }

  private HalfMessage arriving() {
    return ((PeerLink) hand.peer(1)).mail.channel(0).arriving();
  }

  private void assertNothingIsKept() {
    assertThat(inbox(FIRST).isEmpty()).as("the first channel").isTrue();
    assertThat(inbox(OTHER).isEmpty()).as("another channel").isTrue();
    assertThat(arriving()).as("a part").isNull();
  }

  @Test
  void areGoneWithTheEngine() {
    open();
    hand.close().assertComplete();
    assertNothingIsKept();
  }

  @Test
  void areGoneWithAReaderThatHasAskedForNoMore() {
    open();
    Probe<Message> reader = hand.probe(hand.engine().messages(FIRST), new Probe<>(0));
    hand.turn();
    hand.close().assertComplete();
    reader.assertComplete();
    assertNothingIsKept();
  }

  @Test
  void areGoneWithAReaderThatTakesTheFirstOfThemMeanwhile() {
    hand.signals = new HandScheduler();
    open();
    message(FIRST);
    Probe<Message> reader = hand.probe(hand.engine().messages(FIRST), new Probe<>(1));
    Probe<Void> closed = hand.probe(hand.engine().close());
    hand.turnWorker();
    hand.turn();
    closed.assertComplete();
    assertThat(reader.assertComplete().items()).hasSize(1);
    assertNothingIsKept();
  }

  @Test
  void areGoneWithAReaderThatIsCancelledMeanwhile() {
    hand.signals = new HandScheduler();
    open();
    Probe<Message> reader = hand.probe(hand.engine().messages(FIRST), new Probe<>(0));
    Probe<Void> closed = hand.probe(hand.engine().close());
    hand.turnWorker();
    reader.cancel();
    hand.turn();
    closed.assertComplete();
    assertNothingIsKept();
  }

  @Test
  void areGoneIfTheyComeWhileItCloses() {
    open();
    MemoryRegion source = hand.region();
    hand.probe(hand.engine().submit(Write.of(source.slice(0, 1), hand.remote(1).slice(0, 1))));
    hand.turn();
    long defects = hand.defects();
    Probe<Void> closing = hand.close().assertOpen();
    message(OTHER);
    message(FIRST);
    hand.settle();
    closing.assertComplete();
    assertNothingIsKept();
    assertThat(hand.defects()).isEqualTo(defects);
  }

  @Test
  void areGoneWhenTheWorkerFails() {
    open();
    hand.nic(0)
        .report(sink -> {
          throw new IllegalStateException("broken below");
        });
    hand.turn();
    assertThat(hand.engine().isClosed()).isTrue();
    assertNothingIsKept();
  }
}
