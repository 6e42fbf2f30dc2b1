package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.Probe;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Messages that nobody takes, of however many senders, are a bounded number. */
class InboxRoomTest {

  private static final int CREDITS = 4;
  private static final int ROOM = 8;
  private static final int PART = ControlFrame.MAX_PART_BYTES;

  /** What a message of one part takes. */
  private static final int WHOLE = PART + InboxRoom.MESSAGE_BYTES;

  private static final Duration DEADLINE = Duration.ofSeconds(4);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  @BeforeEach
  void open() {
    hand.open(1, o -> o.messageCredits(CREDITS).livenessDeadline(DEADLINE));
    hand.incoming().room().bound(ROOM, InboxRoom.MAX_UNTAKEN_BYTES);
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

  /** The first part of a message, or one between, with so many bytes behind it. */
  private void part(int number, int channel, int bytes, int left) {
    ByteBuffer frame = ControlFrame.message(channel, ByteBuffer.allocate(bytes));
    hand.receive(number, frame.putInt(2, left));
  }

  /** Begins a message on so many channels. */
  private void begin(int number, int channels, int bytes, int left) {
    for (int channel = 0; channel < channels; channel++) {
      part(number, channel, bytes, left);
    }
  }

  /** What happens after each quarter of a second. */
  private void pass(Duration time, IntConsumer after) {
    Duration step = Duration.ofMillis(250);
    for (int i = 1; i <= time.dividedBy(step); i++) {
      hand.advance(step);
      after.accept(i);
      hand.turn();
    }
  }

  @Test
  void whatHasBegunToComeTakesRoomUntilItsSessionEnds() {
    hello(1);
    begin(1, ROOM, 1, 3);
    hello(9);
    assertThat(granted(9)).isZero();
    hand.lose(hand.peer(1));
    assertThat(granted(9)).isEqualTo(CREDITS);
  }

  @Test
  void theMemoryOfWhatHasBegunToComeIsCountedAsItGrows() {
    hand.incoming().room().bound(InboxRoom.MAX_UNTAKEN, 4 * PART);
    hello(1);
    begin(1, 1, PART, 5 * PART);
    hello(8);
    assertThat(granted(8)).as("while one part is there").isEqualTo(CREDITS);
    for (int left = 4; left > 0; left--) {
      begin(1, 1, PART, left * PART);
    }
    hello(9);
    assertThat(granted(9)).isZero();
    Probe<Message> reader = hand.probe(hand.engine().messages());
    begin(1, 1, PART, 0);
    assertThat(reader.items()).hasSize(1);
    assertThat(granted(9)).as("once it is taken").isEqualTo(CREDITS);
  }

  /** Whole messages of a part each, on so many channels. */
  private void wholes(int number, int channels) {
    begin(number, channels, PART, 0);
  }

  private void assertTheOnlyOneWhoIsGivenUpIs(int number, String reason) {
    assertThat(hand.control().disconnections())
        .singleElement()
        .satisfies(end -> assertThat(end.peer()).isEqualTo(hand.peer(number).id()))
        .satisfies(end -> assertThat(end.reason()).contains(reason));
  }

  /** What was granted before cannot be taken back, but by the end of the session. */
  @Test
  void whoHasMostThatWaitsLosesItsSessionWhenAllTakesMoreThanMay() {
    hand.incoming().room().limit(8 * WHOLE);
    for (int number = 1; number <= 3; number++) {
      hello(number);
    }
    wholes(1, 5);
    wholes(2, 3);
    assertThat(hand.control().disconnections()).as("all that may wait").isEmpty();
    part(3, 0, 4, 0);
    String reason = "take " + 8 * WHOLE + " bytes, half of the heap, and " + 5 * WHOLE + " of them";
    assertTheOnlyOneWhoIsGivenUpIs(1, reason);
    part(2, 4, PART / 128, 0);
    assertThat(((PeerLink) hand.peer(2)).loss()).as("a little more may come").isNull();
    Probe<Message> reader = hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(reader.items()).as("what has come stays").hasSize(3);
    part(3, 0, 4, 0);
    assertThat(reader.items()).hasSize(4);
    wholes(2, 4);
    assertThat(((PeerLink) hand.peer(2)).loss()).as("who has most now").isNotNull();
    assertThat(((PeerLink) hand.peer(3)).loss()).as("of it little waits").isNull();
  }

  @Test
  void whatOneHasLeftWhoIsGoneEndsNobodyElse() {
    hand.incoming().room().limit(8 * WHOLE);
    for (int number = 1; number <= 3; number++) {
      hello(number);
    }
    wholes(1, 7);
    hand.lose(hand.peer(1));
    wholes(2, 5);
    assertThat(hand.control().disconnections()).as("as many as may come").isEmpty();
    part(3, 0, 4, 0);
    assertTheOnlyOneWhoIsGivenUpIs(3, "more than " + 12 * WHOLE + ", three quarters of the heap");
    Probe<Message> reader = hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(reader.items()).as("of the first two").hasSize(2);
  }

  /** Of these none is to blame, and what messages take besides their bytes is what counts. */
  @Test
  void ofManyWhoHaveLittleWhoComesLastLosesItsSession() {
    InboxRoom room = hand.incoming().room();
    room.bound(InboxRoom.MAX_UNTAKEN, InboxRoom.MAX_UNTAKEN_BYTES);
    room.limit(256 * InboxRoom.MESSAGE_BYTES);
    int most = 384;
    for (int number = 1; number <= most; number++) {
      hello(number);
      part(number, 0, 0, 0);
    }
    assertThat(hand.control().disconnections()).isEmpty();
    hello(1_000);
    part(1_000, 0, 0, 0);
    assertTheOnlyOneWhoIsGivenUpIs(1_000, "three quarters of the heap");
    Probe<Message> reader = hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(reader.items()).hasSize(most);
  }

  /** The memory of a message doubles as it comes: what it takes counts, not what has come. */
  @Test
  void ofOneThatComesInPartsItsMemoryCounts() {
    hand.incoming().room().limit(4 * WHOLE);
    for (int number = 1; number <= 3; number++) {
      hello(number);
    }
    wholes(1, 3);
    hand.lose(hand.peer(1));
    for (int left = 5; left > 3; left--) {
      part(2, 0, PART, left * PART);
    }
    assertThat(hand.control().disconnections()).as("two parts and no more").isEmpty();
    part(2, 0, PART, 3 * PART);
    assertTheOnlyOneWhoIsGivenUpIs(2, "with " + 2 * PART + " more of this sender");
    part(3, 0, PART, 0);
    assertThat(hand.control().disconnections()).as("what had begun is gone").hasSize(1);
  }

  @Test
  void whatMayNotComeEndsNobody() {
    hand.incoming().room().limit(8 * WHOLE);
    hello(1);
    hello(2);
    wholes(1, 7);
    for (int i = 0; i < CREDITS; i++) {
      part(2, 0, 0, 0);
    }
    part(2, 0, PART, 0);
    assertThat(hand.control().disconnections()).as("beyond its credit").isEmpty();
    part(2, 1, PART, 0);
    assertTheOnlyOneWhoIsGivenUpIs(1, "half of the heap");
  }

  @Test
  void whoIsToBlameIsNotAskedAgainUntilALittleMoreHasCome() {
    InboxRoom room = new InboxRoom((_, _) -> {});
    int little = 1_000;
    int limit = 256 * little;
    room.limit(limit);
    room.begin(0, limit - InboxRoom.MESSAGE_BYTES);
    assertThat(room.isTooMuch(0)).isFalse();
    assertThat(room.isTooMuch(1)).isTrue();
    room.letLittleCome();
    room.begin(1, 22);
    room.take(1, 22);
    assertThat(room.isTooMuch(little)).as("after one was taken").isFalse();
    assertThat(room.isTooMuch(little + 1)).isTrue();
    room.take(0, limit - InboxRoom.MESSAGE_BYTES);
    assertThat(room.isTooMuch(limit)).as("after all were taken").isFalse();
    assertThat(room.isTooMuch(limit + 1)).isTrue();
  }

  @Test
  void whoSendsWhatThereIsNoMemoryForLosesItsSession() {
    hello(1);
    hello(2);
    hand.incoming()
        .room()
        .memory(bytes -> {
          if (bytes > PART) {
            throw new OutOfMemoryError("as if");
          }
          return new byte[bytes];
        });
    part(1, 0, PART, PART);
    part(1, 0, PART, 0);
    part(2, 0, PART, 0);
    assertThat(hand.control().disconnections())
        .singleElement()
        .satisfies(end -> assertThat(end.peer()).isEqualTo(hand.peer(1).id()))
        .satisfies(end -> assertThat(end.reason()).contains("no memory"));
    Probe<Message> reader = hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(reader.items()).hasSize(1);
  }

  @Test
  void whoDoesNotGoOnWhileOthersWaitForRoomIsGivenUp() {
    hello(1);
    begin(1, ROOM, 1, 2 * PART);
    pass(DEADLINE.multipliedBy(3), _ -> {});
    assertThat(hand.control().disconnections()).as("nobody waits").isEmpty();
    hello(9);
    pass(DEADLINE.dividedBy(2), _ -> {});
    assertThat(hand.control().disconnections()).isEmpty();
    pass(DEADLINE, _ -> {});
    assertThat(hand.control().disconnections())
        .singleElement()
        .satisfies(end -> assertThat(end.reason()).contains("not gone on with a message"));
    assertThat(((PeerLink) hand.peer(1)).loss()).isNotNull();
    assertThat(granted(9)).isEqualTo(CREDITS);
  }

  /** What it is owed itself, such as of a channel that nobody reads, it does not lose. */
  @Test
  void whoDoesNotGoOnWhileNobodyElseWaitsForRoomIsNotGivenUp() {
    fill();
    hello(9);
    assertThat(granted(9)).isZero();
    part(9, 3, 1, 2 * PART);
    pass(DEADLINE.multipliedBy(3), _ -> {});
    assertThat(hand.control().disconnections()).isEmpty();
    hello(10);
    pass(DEADLINE.multipliedBy(2), _ -> {});
    assertThat(hand.control().disconnections())
        .singleElement()
        .satisfies(end -> assertThat(end.peer()).isEqualTo(hand.peer(9).id()));
  }

  /** As over a slow way that carries messages of many channels in turn. */
  @Test
  void whoGoesOnWithOneOfSeveralMessagesIsNotGivenUp() {
    hello(1);
    hand.incoming().room().bound(1, InboxRoom.MAX_UNTAKEN_BYTES);
    int parts = 50;
    begin(1, 3, PART / 4, parts * PART / 4);
    hello(9);
    pass(Duration.ofMillis(250L * parts), i -> part(1, 1, PART / 4, (parts - i) * PART / 4));
    assertThat(hand.control().disconnections()).isEmpty();
    pass(DEADLINE.multipliedBy(2), _ -> {});
    assertThat(hand.control().disconnections()).as("none goes on any more").hasSize(1);
  }

  /** Of these nothing is half there any more, and of the others nothing comes meanwhile. */
  @Test
  void whoCompletesOneMessageAfterTheOtherIsNotGivenUp() {
    hello(1);
    int channels = MessageChannel.MAX_NUMBER / 2;
    for (int channel = 0; channel < channels; channel++) {
      part(1, channel, 1, PART);
    }
    hand.incoming().room().bound(1, InboxRoom.MAX_UNTAKEN_BYTES);
    hello(9);
    pass(
        DEADLINE.dividedBy(4).multipliedBy(channels - 1),
        i -> {
          if (i % 4 == 0) {
            part(1, i / 4, PART, 0);
          }
        });
    assertThat(hand.control().disconnections()).isEmpty();
  }

  @Test
  void whoBeginsOneMessageAfterTheOtherAndGoesOnWithNoneIsGivenUp() {
    hello(1);
    part(1, 0, 1, 2 * PART);
    hand.incoming().room().bound(1, InboxRoom.MAX_UNTAKEN_BYTES);
    hello(9);
    pass(
        DEADLINE.multipliedBy(2),
        i -> {
          if (i % 3 == 0) {
            part(1, 1 + i / 3, 1, 2 * PART);
          }
        });
    assertThat(hand.control().disconnections()).hasSize(1);
  }

  @Test
  void whoGoesOnSlowlyWhileOthersWaitForRoomIsNotGivenUp() {
    hello(1);
    hand.incoming().room().bound(1, InboxRoom.MAX_UNTAKEN_BYTES);
    int parts = 50;
    begin(1, 1, PART / 4, parts * PART / 4);
    hello(9);
    Probe<Message> reader = hand.probe(hand.engine().messages());
    pass(Duration.ofMillis(250L * parts), i -> part(1, 0, PART / 4, (parts - i) * PART / 4));
    assertThat(hand.control().disconnections()).isEmpty();
    assertThat(reader.items()).hasSize(1);
    assertThat(granted(9)).isEqualTo(CREDITS);
  }
}
