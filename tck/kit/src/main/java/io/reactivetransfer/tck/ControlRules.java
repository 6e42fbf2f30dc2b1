package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chapter 26: what an engine expects of a control channel, asked without an engine. */
abstract class ControlRules extends RuleGroup {

  private static final int MANY = 2_000;

  /** Of the longest messages, 128 MiB: no queue is so long, and neither are those of sockets. */
  private static final int TOO_MANY = 8_000;

  private static final int CALLS = 61;
  private static final Duration NOT_BLOCKED = Duration.ofMillis(1);

  /** The length of messages that must be sent quickly. */
  static final int QUICK_BYTES = 77;

  ControlRules(TransferConformance kit) {
    super(kit);
  }

  private BareChannel channel() {
    stage().requireNics(1);
    BareChannel channel = new BareChannel(stage().backend(), stage().patience().signal());
    stage().atEnd(channel::close);
    return channel;
  }

  private void until(String what, List<BareChannel> all, BooleanSupplier condition) {
    stage()
        .patience()
        .turningUntil(
            what,
            () -> {
              all.forEach(BareChannel::turn);
              return condition.getAsBoolean();
            });
  }

  private void throughout(List<BareChannel> all, Runnable check) {
    stage()
        .patience()
        .turning(() -> {
          all.forEach(BareChannel::turn);
          check.run();
        });
  }

  private static ByteBuffer number(int number) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(0, number);
  }

  private static List<Integer> numbers(BareChannel channel) {
    return channel.received().stream().map(message -> message.bytes().getInt(0)).toList();
  }

  /** Has the numbers from one to another sent, as it is let. */
  private void send(BareChannel from, BareChannel to, int first, int end) {
    for (int i = first; i < end; i++) {
      ByteBuffer message = number(i);
      until("a message to be taken over", List.of(from, to), () -> from.send(to, message));
    }
  }

  @Test
  final void r26_1_messagesOfAnyLengthComeWholeOnceAndInOrder() {
    BareChannel one = channel();
    BareChannel other = channel();
    int max = one.call(channel -> channel.maxMessageBytes());
    assertThat(max).isGreaterThanOrEqualTo(BareChannel.MAX_MESSAGE_BYTES);
    Random random = new Random(stage().random().nextLong());
    for (BareChannel[] way : new BareChannel[][] {{one, other}, {other, one}}) {
      List<ByteBuffer> sent = new ArrayList<>();
      for (int length : List.of(1, 0, 2, 255, 256, 4_095, 4_096, 4_097, max - 1, max)) {
        byte[] content = new byte[length];
        random.nextBytes(content);
        ByteBuffer message = ByteBuffer.allocate(length + 2).position(1).put(content);
        message.position(1).limit(length + 1);
        until(
            "a message to be taken over", List.of(one, other), () -> way[0].send(way[1], message));
        assertThat(message.remaining()).as("bytes left in the caller's buffer").isEqualTo(length);
        message.clear().put(new byte[length + 2]); // what was taken over was copied
        sent.add(ByteBuffer.wrap(content));
      }
      until("all messages", List.of(one, other), () -> way[1].received().size() == sent.size());
      assertThat(way[1].received().stream().map(BareChannel.Received::bytes)).isEqualTo(sent);
      assertThat(way[1].received().stream().map(BareChannel.Received::sender).distinct())
          .as("who is named as the sender")
          .containsExactly(way[0].engine());
    }
    throughout(
        List.of(one, other),
        () -> assertThat(List.of(one.lost(), other.lost())).containsOnly(List.of()));
  }

  @Test
  final void r26_2_whoDoesNotLookHoldsOthersUpAndLosesNothing() {
    BareChannel one = channel();
    BareChannel other = channel();
    send(one, other, 0, 1);
    until("a first message", List.of(one, other), () -> other.received().size() == 1);
    int[] sent = {1};
    stage()
        .patience()
        .turning(() -> {
          one.turn();
          sent[0] += fill(one, other, sent[0]);
        });
    assertThat(sent[0])
        .as("messages of %s bytes for who does not look", BareChannel.MAX_MESSAGE_BYTES)
        .isLessThan(TOO_MANY);
    one.wasRung();
    sent[0] += fill(one, other, sent[0]); // the last of these is refused behind that look
    until("the doorbell", List.of(other), one::wasRung);
    int end = sent[0] + CALLS;
    send(one, other, sent[0], end);
    until("all messages", List.of(one, other), () -> other.received().size() == end);
    assertThat(numbers(other)).isEqualTo(IntStream.range(0, end).boxed().toList());
  }

  /** Sends the longest messages until one is refused; returns how many were taken over. */
  private static int fill(BareChannel from, BareChannel to, int first) {
    ByteBuffer message = ByteBuffer.allocate(BareChannel.MAX_MESSAGE_BYTES);
    int next = first;
    while (next < TOO_MANY && from.send(to, message.putInt(0, next))) {
      next++;
    }
    return next - first;
  }

  @Test
  final void r26_3_whoIsLookedForIsFoundByNameOfItsPlace() {
    BareChannel one = channel();
    BareChannel other = channel();
    BareChannel gone = channel();
    gone.close();
    one.call(channel -> {
      channel.find(7, other.address());
      channel.find(8, gone.address());
      channel.find(9, other.address());
      return true;
    });
    until(
        "three answers, one of them that nobody is where a channel was closed, whose port is free",
        List.of(one, other),
        () -> one.answers().size() == 3);
    assertThat(one.answers())
        .as("answers: who is there, twice, and nobody where a channel was closed")
        .containsExactlyInAnyOrder("7 " + other.engine(), "8 nobody", "9 " + other.engine());
    assertThat(one.texts()).as("why nobody was found").isNotEmpty().noneMatch(String::isBlank);
    send(one, other, 0, 1);
    until("a message", List.of(one, other), () -> other.received().size() == 1);
    throughout(
        List.of(one, other),
        () -> assertThat(one.answers()).as("answers to three questions").hasSize(3));
  }

  @Test
  final void r26_4_aPeerThatClosedIsLostOnceAndAfterItsMessages() {
    BareChannel one = channel();
    BareChannel other = channel();
    send(one, other, 0, 3);
    send(other, one, 0, 3);
    until("messages", List.of(one, other), () -> one.received().size() == 3);
    int sent =
        3; // and more, which are under way when it closes: these come before the loss, or not
    while (sent < 3 + CALLS && other.send(one, number(sent))) {
      sent++;
    }
    other.close();
    until("its loss", List.of(one), () -> !one.lost().isEmpty());
    throughout(
        List.of(one), () -> assertThat(one.lost()).as("losses").containsExactly(other.engine()));
    assertThat(one.received()).hasSizeBetween(3, sent).allMatch(message -> message.losses() == 0);
    assertThat(numbers(one)).isEqualTo(IntStream.range(0, one.received().size()).boxed().toList());
    until(
        "its loss again", // whether the message was taken over, or refused for want of a session
        List.of(one),
        () -> one.lost().size() == 2 || (one.send(other, number(3)) && one.lost().size() == 2));
  }

  @Test
  final void r26_5_nobodyIsTakenForAnother() {
    BareChannel one = channel();
    BareChannel other = channel();
    EngineId wanted = new EngineId(1, 2);
    one.call(channel -> channel.send(wanted, other.address(), number(1)));
    until(
        "the loss of one who is not there",
        List.of(one, other),
        () ->
            !one.lost().isEmpty()
                || !one.call(channel -> channel.send(wanted, other.address(), number(1))));
    until("its loss", List.of(one, other), () -> one.lost().contains(wanted));
    throughout(
        List.of(one, other),
        () -> assertThat(other.received()).as("what came to another engine").isEmpty());
    send(one, other, 5, 6);
    until("a message for who is there", List.of(one, other), () -> !other.received().isEmpty());
    assertThat(numbers(other)).containsExactly(5);
  }

  @Test
  final void r26_6_whoWasGivenUpIsHeardNoMoreUntilBothBeginAnew() {
    BareChannel one = channel();
    BareChannel other = channel();
    send(one, other, 0, 1);
    send(other, one, 0, 1);
    until("messages", List.of(one, other), () -> one.received().size() == 1);
    until("messages", List.of(one, other), () -> other.received().size() == 1);
    send(other, one, 1, 2); // may have come, and was not reported
    one.call(channel -> {
      channel.disconnect(other.engine(), "given up by the conformance kit");
      return true;
    });
    until("the other side's loss", List.of(one, other), () -> !other.lost().isEmpty());
    throughout(
        List.of(one, other),
        () -> {
          assertThat(one.lost()).as("losses of who was given up here").isEmpty();
          assertThat(other.lost()).as("losses there").containsExactly(one.engine());
        });
    assertThat(numbers(one)).as("what was heard").contains(0).doesNotContain(2);
    send(other, one, 2, 3);
    send(one, other, 1, 2);
    until("a message", List.of(one, other), () -> numbers(one).contains(2));
    until("a message there", List.of(one, other), () -> other.received().size() == 2);
    assertThat(one.lost()).isEmpty();
  }

  private static List<Integer> upTo10(int first) {
    return IntStream.rangeClosed(first, 10).boxed().toList();
  }

  @Test
  final void r26_7_twoThatBeginAtOnceShareASession() {
    for (int round = 0; round < 5; round++) {
      BareChannel one = channel();
      BareChannel other = channel();
      int firstThere = one.send(other, number(0)) ? 0 : 1;
      int firstHere = other.send(one, number(0)) ? 0 : 1;
      int[] next = {0, 0};
      until(
          "both to have sent",
          List.of(one, other),
          () -> {
            next[0] += next[0] < 10 && one.send(other, number(next[0] + 1)) ? 1 : 0;
            next[1] += next[1] < 10 && other.send(one, number(next[1] + 1)) ? 1 : 0;
            return next[0] == 10 && next[1] == 10;
          });
      until(
          "the last messages",
          List.of(one, other),
          () -> numbers(one).contains(10) && numbers(other).contains(10));
      throughout(
          List.of(one, other),
          () -> {
            assertThat(numbers(one)).as("messages here").isEqualTo(upTo10(firstHere));
            assertThat(numbers(other)).as("messages there").isEqualTo(upTo10(firstThere));
            for (BareChannel each : List.of(one, other)) {
              assertThat(each.lost()).as("losses").isEmpty();
            }
          });
      one.close();
      other.close();
    }
  }

  @Test
  final void r26_8_anIdleChannelHasNothingToDoAndRingsForMore() {
    BareChannel one = channel();
    BareChannel other = channel();
    send(one, other, 0, 1);
    until("a message", List.of(one, other), () -> other.received().size() == 1);
    until("an idle turn", List.of(one), () -> one.turn() == 0);
    until("an idle turn there", List.of(other), () -> other.turn() == 0);
    assertThat(one.understated()).isEmpty();
    assertThat(other.understated()).isEmpty();
    for (int round = 1; round < 4; round++) {
      other.wasRung();
      int message = round;
      until("a message to be taken over", List.of(one), () -> one.send(other, number(message)));
      until("the doorbell", List.of(one), other::wasRung);
      int expected = round + 1;
      until("it", List.of(other), () -> other.received().size() == expected);
    }
    other.wasRung();
    one.close();
    stage().patience().until("the doorbell for a loss", other::wasRung);
    until("the loss", List.of(other), () -> other.lost().size() == 1);
  }

  @Test
  final void r26_9_noCallBlocks() {
    BareChannel one = channel();
    BareChannel other = channel();
    send(one, other, 0, 1);
    ByteBuffer message = ByteBuffer.allocate(QUICK_BYTES);
    long[] sending = new long[CALLS];
    long[] polling = new long[CALLS];
    for (int i = 0; i < CALLS; i++) {
      sending[i] = one.nanosOfSend(other, message);
      polling[i] = one.nanosOfTurn();
      other.turn();
    }
    for (long[] nanos : List.of(sending, polling)) {
      Arrays.sort(nanos);
      assertThat(Duration.ofNanos(nanos[CALLS / 2]))
          .as("median of %s calls", CALLS)
          .isLessThan(NOT_BLOCKED);
    }
  }

  @ParameterizedTest(name = "looks for the peer: {0}")
  @ValueSource(booleans = {false, true})
  final void r26_10_nothingIsSaidInASessionThatItsEngineWasNotToldOf(boolean looks) {
    BareChannel one = channel();
    BareChannel other = channel();
    send(one, other, 0, 1);
    send(other, one, 0, 1);
    until("messages", List.of(one, other), () -> one.received().size() == 1);
    until("messages", List.of(one, other), () -> other.received().size() == 1);
    one.wasRung();
    other.call(channel -> {
      channel.disconnect(one.engine(), "given up by the conformance kit");
      return true;
    });
    until("a new session there", List.of(other), () -> other.send(one, number(1)));
    until("the doorbell here", List.of(other), one::wasRung);
    if (looks) {
      one.call(channel -> {
        channel.find(7, other.address());
        return true;
      });
    }
    for (int i = 0; i < 4; i++) {
      one.send(other, number(MANY + i)); // whether it is refused, or lost with the old session
    }
    until("the loss", List.of(one, other), () -> !one.lost().isEmpty());
    send(one, other, 1, 2);
    until("the next message", List.of(one, other), () -> one.received().size() == 2);
    until("the next message there", List.of(one, other), () -> other.received().size() == 2);
    assertThat(numbers(other)).as("what was said in either session").containsExactly(0, 1);
    assertThat(numbers(one)).containsExactly(0, 1);
    assertThat(one.received().getLast().losses())
        .as("losses that were told before the first message of the new session")
        .isEqualTo(1);
    throughout(
        List.of(one, other),
        () -> assertThat(one.lost()).as("losses").containsExactly(other.engine()));
  }
}
