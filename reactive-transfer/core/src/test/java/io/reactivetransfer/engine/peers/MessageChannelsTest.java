package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.ScriptedControl.Frame;
import io.reactivetransfer.engine.base.Probe;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Channels do not wait for each other, and long messages go in parts. */
class MessageChannelsTest {

  private static final MessageChannel ONE = new MessageChannel(1);
  private static final MessageChannel LAST = new MessageChannel(MessageChannel.MAX_NUMBER);
  private static final int PART = ControlFrame.MAX_PART_BYTES;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private void open(int credits, int maxMessageBytes) {
    hand.open(1, o -> o.messageCredits(credits).maxMessageBytes(maxMessageBytes));
    hand.receive(1, hand.hello(1));
  }

  private static ByteBuffer noise(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return ByteBuffer.wrap(bytes);
  }

  private Probe<Void> send(MessageChannel channel, ByteBuffer message) {
    Probe<Void> probe = hand.probe(hand.engine().send(hand.peer(1), channel, message));
    hand.turn();
    return probe;
  }

  private void credit(int channel, int messages, int bytes) {
    hand.receive(1, ControlFrame.credit(hand.epoch(1), channel, messages, bytes));
  }

  private void receive(MessageChannel channel, ByteBuffer message) {
    parts(channel, message).forEach(part -> hand.receive(1, part));
  }

  private static List<ByteBuffer> parts(MessageChannel channel, ByteBuffer message) {
    ByteBuffer whole = ControlFrame.message(channel.number(), message);
    List<ByteBuffer> parts = new ArrayList<>();
    int from = 0;
    do {
      parts.add(ControlFrame.part(whole, from).duplicate());
      from += PART;
    } while (from < message.remaining());
    return parts;
  }

  private Probe<Message> read(MessageChannel channel, long demand) {
    Probe<Message> probe = hand.probe(hand.engine().messages(channel), new Probe<>(demand));
    hand.turn();
    return probe;
  }

  private static List<ByteBuffer> contents(Probe<Message> probe) {
    return probe.items().stream().map(Message::bytes).toList();
  }

  /** The channels of the messages that were sent, one for each part. */
  private List<Integer> sent() {
    return hand.control().sent(ControlFrame.MESSAGE).stream()
        .map(frame -> (int) frame.content()[0])
        .toList();
  }

  @Test
  void whatWaitsOnOneHoldsUpNoOther() {
    open(4, 1_000);
    Probe<Void> waiting = send(MessageChannel.DEFAULT, noise(4));
    Probe<Void> going = send(ONE, noise(4));
    credit(1, 1, 4);
    going.assertComplete();
    waiting.assertOpen();
    assertThat(sent()).containsExactly(1);
    credit(0, 1, 4);
    waiting.assertComplete();
  }

  @Test
  void creditForAllIsGoodForThoseThatAreUsedLaterToo() {
    open(4, 1_000);
    Probe<Void> early = send(ONE, noise(4));
    credit(ControlFrame.ALL_CHANNELS, 1, 4);
    early.assertComplete();
    send(LAST, noise(4)).assertComplete();
    send(LAST, noise(4)).assertOpen();
  }

  @Test
  void bytesNeedCreditToo() {
    open(4, 1_000);
    credit(0, 4, 9);
    Probe<Void> first = send(MessageChannel.DEFAULT, noise(5));
    Probe<Void> second = send(MessageChannel.DEFAULT, noise(5));
    first.assertComplete();
    second.assertOpen();
    credit(0, 0, 1);
    second.assertComplete();
  }

  @Test
  void eachHasItsSubscriberAndWhatNobodyReadsIsKept() {
    open(4, 1_000);
    receive(ONE, noise(1));
    receive(LAST, noise(2));
    receive(MessageChannel.DEFAULT, noise(3));
    Probe<Message> last = read(LAST, 9);
    Probe<Message> standard = read(MessageChannel.DEFAULT, 9);
    assertThat(contents(last)).containsExactly(noise(2));
    assertThat(contents(standard)).containsExactly(noise(3));
    Probe<Message> one = read(ONE, 9);
    assertThat(contents(one)).containsExactly(noise(1));
    for (Probe<Message> each : List.of(last, standard, one)) {
      each.assertOpen();
      assertThat(each.items().getFirst().sender()).isSameAs(hand.peer(1));
    }
  }

  @Test
  void oneThatNobodyReadsTakesNoCreditOfOthers() {
    open(2, 1_000);
    for (int i = 0; i < 5; i++) {
      receive(ONE, noise(1)); // three of them beyond its credit
    }
    Probe<Message> other = read(LAST, Long.MAX_VALUE);
    for (int i = 0; i < 50; i++) {
      receive(LAST, noise(i));
    }
    assertThat(other.items()).hasSize(50);
    assertThat(read(ONE, 9).items()).hasSize(2);
  }

  @Test
  void aLongMessageIsCutAndPutTogether() {
    InboxRoom room = new InboxRoom((_, _) -> {});
    for (int length : new int[] {PART - 1, PART, PART + 1, 2 * PART, 3 * PART + 77}) {
      List<ByteBuffer> parts = parts(ONE, noise(length));
      assertThat(parts).hasSize((length + PART - 1) / PART);
      ChannelMail there = new ChannelMail(1);
      there.allowed = 1;
      there.allowedBytes = length;
      byte[] message = null;
      for (ByteBuffer part : parts) {
        assertThat(message).as("before the last part").isNull();
        assertThat(part.get()).isEqualTo(ControlFrame.MESSAGE);
        assertThat(part.get()).isEqualTo((byte) 1);
        message = there.received(part.getInt(), part, room);
      }
      assertThat(ByteBuffer.wrap(message)).isEqualTo(noise(length));
      assertThat(there.allowed).isZero();
      assertThat(there.allowedBytes).isZero();
    }
  }

  @Test
  void aLongMessageNeedsOneCreditAndOthersGoBetweenItsParts() {
    open(4, 1 << 20);
    credit(1, 1, 3 * PART);
    credit(2, 2, 100);
    hand.control().sendRoom = 1;
    Probe<Void> long3 = send(ONE, noise(3 * PART));
    hand.probe(hand.engine().send(hand.peer(1), new MessageChannel(2), noise(1)));
    hand.probe(hand.engine().send(hand.peer(1), new MessageChannel(2), noise(2)));
    long3.assertOpen();
    for (int i = 0; i < 4; i++) {
      hand.control().sendRoom = 1;
      hand.turn();
    }
    hand.control().sendRoom = Integer.MAX_VALUE;
    hand.turn();
    long3.assertComplete();
    assertThat(sent()).containsExactlyInAnyOrder(1, 1, 1, 2, 2);
    assertThat(sent().subList(0, 3)).as("the short ones do not wait").contains(2);
  }

  @Test
  void oneThatHasBegunIsSentToItsEndThoughItIsCancelled() {
    open(4, 1 << 20);
    credit(1, 2, 4 * PART);
    hand.control().sendRoom = 1;
    Probe<Void> begun = send(ONE, noise(2 * PART));
    assertThat(sent()).hasSize(1);
    Probe<Void> next = send(ONE, noise(2 * PART));
    begun.cancel();
    next.cancel();
    hand.control().sendRoom = Integer.MAX_VALUE;
    hand.turn();
    assertThat(sent()).as("both parts of the first").hasSize(2);
    assertThat(begun.terminals()).isZero();
  }

  @Test
  void aLossHalfWayEndsTheMessageOnBothSides() {
    open(4, 1 << 20);
    credit(1, 1, 4 * PART);
    hand.control().sendRoom = 1;
    Probe<Void> half = send(ONE, noise(2 * PART));
    hand.receive(1, parts(ONE, noise(2 * PART)).getFirst());
    hand.control().sendRoom = Integer.MAX_VALUE;
    hand.lose(hand.peer(1));
    assertThat(half.error()).isNotNull();
    hand.receive(1, hand.hello(1));
    Probe<Message> reader = read(ONE, 9);
    receive(ONE, noise(PART + 1));
    assertThat(contents(reader)).containsExactly(noise(PART + 1));
  }

  @Test
  void partsThatDoNotFitAreDropped() {
    open(1, 100);
    Probe<Message> reader = read(MessageChannel.DEFAULT, Long.MAX_VALUE);
    List<UnaryOperator<ByteBuffer>> lies =
        List.of(
            part -> part.put(1, (byte) 32),
            part -> part.put(1, (byte) -1),
            part -> part.putInt(2, 97), // longer than any that is taken, though there is credit
            part -> part.putInt(2, 197), // beyond the bytes of its credit
            part -> part.putInt(2, Integer.MAX_VALUE),
            part -> part.putInt(2, -1),
            part -> part.limit(5));
    for (UnaryOperator<ByteBuffer> lie : lies) {
      hand.receive(1, lie.apply(ControlFrame.message(0, noise(4))));
    }
    assertThat(reader.items()).isEmpty();
    receive(MessageChannel.DEFAULT, noise(100));
    assertThat(contents(reader)).containsExactly(noise(100));
  }

  /** What a sender only says that it will send costs nothing: here that would be 16 GiB. */
  @Test
  void aMessageTakesAsMuchMemoryAsHasCome() {
    InboxRoom room = new InboxRoom((_, _) -> {});
    int length = 16 << 20;
    List<ChannelMail> begun = new ArrayList<>();
    for (int i = 0; i < 1_024; i++) {
      ChannelMail there = new ChannelMail(1);
      there.allowed = 1;
      there.allowedBytes = length;
      assertThat(there.received(length - 1, noise(1), room)).isNull();
      begun.add(there);
    }
    assertThat(begun).allMatch(there -> !there.isIdle());
  }

  @Test
  void aMessageCanComeInPartsOfAnyLength() {
    InboxRoom room = new InboxRoom((_, _) -> {});
    Random random = new Random(5);
    for (int length : new int[] {1, 2, 3, 100, PART + 1, 5 * PART}) {
      ChannelMail there = new ChannelMail(1);
      there.allowed = 1;
      there.allowedBytes = length;
      ByteBuffer whole = noise(length);
      byte[] message = null;
      for (int from = 0; from < length; ) {
        int part = 1 + random.nextInt(Math.min(PART, length - from));
        message = there.received(length - from - part, whole.slice(from, part), room);
        from += part;
        assertThat(message == null).as("before the last part").isEqualTo(from < length);
      }
      assertThat(message).isEqualTo(whole.array());
    }
  }

  @Test
  void whatThePeerNeverTakesFailsAndTheNextIsSent() {
    hand.open(1);
    List<PeerNic> nics = EngineByHand.nics(1, 1);
    hand.receive(1, new Greeting(1, hand.epoch(1), 10, hand.address(1), nics).toFrame());
    Probe<Void> tooLong = send(ONE, noise(11));
    assertThat(tooLong.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("at most 10 bytes");
    credit(1, 1, 10);
    send(ONE, noise(10)).assertComplete();
  }

  @Test
  void bytesThatWaitAreBounded() {
    open(4, 1 << 20);
    List<Probe<Void>> waiting = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      waiting.add(send(new MessageChannel(i / 2), ByteBuffer.allocate(1 << 20)));
    }
    assertThat(send(ONE, noise(1)).error()).isInstanceOf(TransferRejectedException.class);
    waiting.getFirst().cancel();
    hand.turn();
    send(ONE, noise(1)).assertOpen();
  }

  @Test
  void takingMessagesOfOneChannelIsCreditForThatChannel() {
    open(2, 1_000);
    receive(ONE, noise(1));
    receive(ONE, noise(1));
    int before = hand.control().sent(ControlFrame.CREDIT).size();
    read(ONE, 9);
    List<Frame> credits = hand.control().sent(ControlFrame.CREDIT);
    assertThat(credits).hasSizeGreaterThan(before);
    for (Frame credit : credits.subList(before, credits.size())) {
      assertThat(credit.content()[4]).as("channel").isEqualTo((byte) 1);
    }
  }

  @Test
  void numbersAreBounded() {
    for (int number : new int[] {-1, 32, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> new MessageChannel(number))
          .withMessageContaining("0 to 31");
    }
    assertThat(MessageChannel.DEFAULT.number()).isZero();
  }
}
