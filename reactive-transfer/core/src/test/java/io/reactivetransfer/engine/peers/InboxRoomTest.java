package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.Probe;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages that nobody takes, of however many senders, are a bounded number. */
class InboxRoomTest {

  private static final int CREDITS = 4;
  private static final int ROOM = 8;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  @BeforeEach
  void open() {
    hand.open(1, o -> o.messageCredits(CREDITS));
    hand.incoming().room().bound(ROOM);
  }

  private void hello(int number) {
    hand.receive(number, hand.hello(number));
  }

  /** Sends as many as it may, and more do not come through. */
  private void messages(int number) {
    int may = granted(number);
    for (int i = 0; i < may; i++) {
      hand.receive(number, ControlFrame.message(0, ByteBuffer.allocate(4)));
    }
  }

  /** How many messages of the first channel a peer may send in all, as it was told. */
  private int granted(int number) {
    return hand.control().sent(ControlFrame.CREDIT).stream()
        .filter(frame -> frame.to().equals(hand.address(number).engine()))
        .map(frame -> ByteBuffer.wrap(frame.content()))
        .filter(credit -> credit.get(4) <= 0)
        .mapToInt(credit -> credit.getInt(5))
        .sum();
  }

  private void fill() {
    for (int number = 1; number <= ROOM / CREDITS; number++) {
      hello(number);
      messages(number);
    }
  }

  @Test
  void whoComesWhileTooManyWaitMaySendWhenHalfOfThemAreTaken() {
    fill();
    hello(9);
    assertThat(granted(9)).isZero();
    Probe<Message> reader = hand.probe(hand.engine().messages(), new Probe<>(ROOM / 2 - 1));
    hand.turn();
    assertThat(granted(9)).isZero();
    reader.request(1);
    hand.turn();
    assertThat(granted(9)).isEqualTo(CREDITS);
    messages(9);
    reader.request(Long.MAX_VALUE);
    hand.turn();
    assertThat(reader.items()).hasSize(ROOM + CREDITS);
    for (int number : new int[] {1, 2, 9}) {
      assertThat(granted(number)).as("credit of %s", number).isGreaterThan(CREDITS);
    }
  }

  @Test
  void whoIsLostMeanwhileMaySendInItsNextSession() {
    fill();
    hello(9);
    hand.lose(hand.peer(9));
    hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(granted(9)).isZero();
    hello(9);
    assertThat(granted(9)).isEqualTo(CREDITS);
  }

  @Test
  void enginesThatGreetAndSayWhatTheyMayAndLeaveAreForgotten() {
    hand.peers().bounds(10, 10);
    for (int number = 1_000; number < 1_400; number++) {
      hello(number);
      messages(number);
      hand.lose(hand.peer(number));
    }
    hand.inTurn(hand.peers()::sweep);
    assertThat(hand.peers().size()).isLessThanOrEqualTo(10 + ROOM);
    Probe<Message> reader = hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(reader.items()).hasSize(ROOM);
    hello(9);
    assertThat(granted(9)).isEqualTo(CREDITS);
  }

  /** Else who fills those that nobody reads, and leaves, would end the messages of everybody. */
  @Test
  void channelsThatNobodyReadsHoldUpNoOthers() {
    fill();
    MessageChannel read = new MessageChannel(3);
    Probe<Message> reader = hand.probe(hand.engine().messages(read), new Probe<>(Long.MAX_VALUE));
    hand.turn();
    hello(9);
    assertThat(granted(9)).as("of the first channel").isZero();
    for (int i = 0; i < 10 * ROOM; i++) {
      hand.receive(9, ControlFrame.message(3, ByteBuffer.allocate(4)));
    }
    assertThat(reader.items()).hasSize(10 * ROOM);
  }

  @Test
  void aChannelThatIsReadAgainIsGrantedThoughOthersAreNot() {
    fill();
    MessageChannel slow = new MessageChannel(3);
    hello(9);
    for (int i = 0; i < 10 * ROOM; i++) {
      hand.receive(9, ControlFrame.message(3, ByteBuffer.allocate(4)));
    }
    Probe<Message> reader = hand.probe(hand.engine().messages(slow), new Probe<>(Long.MAX_VALUE));
    hand.turn();
    int came = reader.items().size();
    assertThat(came).isEqualTo(CREDITS);
    hand.receive(9, ControlFrame.message(3, ByteBuffer.allocate(4)));
    assertThat(reader.items()).hasSize(came + 1);
  }
}
