package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.TransferEngine;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import reactor.core.publisher.Mono;

/** Chapter 13: messages. */
abstract class MessageRules extends RuleGroup {

  private static final int CREDITS = 4;

  /** Longer than what any NIC says. */
  private static final ByteBuffer THE_END = ByteBuffer.allocate(NicTalk.MAX_BYTES + 1);

  MessageRules(TransferConformance kit) {
    super(kit);
  }

  private TransferEngine open() {
    return stage().open(1, options -> options.messageCredits(CREDITS).maxMessageBytes(3_000));
  }

  private Probe<Void> send(TransferEngine origin, TransferEngine target, ByteBuffer message) {
    return stage().probe("send", origin.send(origin.peer(target.address()), message));
  }

  private Probe<Void> send(TransferEngine origin, TransferEngine target, int number) {
    return send(origin, target, ByteBuffer.allocate(4).putInt(number).flip());
  }

  private static List<Integer> numbers(List<Message> messages) {
    return messages.stream().map(message -> message.bytes().getInt(0)).toList();
  }

  @Test
  final void r13_1_messagesArriveOnceAndInOrder() {
    TransferEngine origin = open();
    TransferEngine target = open();
    Probe<Message> messages = stage().probe("messages", target.messages());
    List<byte[]> sent = new ArrayList<>();
    List<Probe<Void>> sends = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      byte[] content = new byte[i % 10 == 0 ? 3_000 : 1 + stage().random().nextInt(200)];
      stage().random().nextBytes(content);
      sent.add(content);
      sends.add(send(origin, target, ByteBuffer.wrap(content)));
    }
    List<Message> received = messages.awaitValues(100);
    sends.forEach(Probe::awaitCompletion);
    for (int i = 0; i < 100; i++) {
      assertThat(received.get(i).bytes())
          .as("message %s", i)
          .isEqualTo(ByteBuffer.wrap(sent.get(i)));
    }
    messages.assertSilent();
    assertThat(messages.values()).hasSize(100);
  }

  @Test
  final void r13_2_withoutDemandTheSenderWaits() {
    TransferEngine origin = open();
    TransferEngine target = open();
    Probe<Message> messages = stage().probe("messages", target.messages(), 0);
    List<Probe<Void>> sends =
        IntStream.range(0, CREDITS + 3).mapToObj(i -> send(origin, target, i)).toList();
    sends.subList(0, CREDITS).forEach(Probe::awaitCompletion);
    sends.getLast().assertSilent();
    sends.get(CREDITS).assertPending();
    messages.request(1);
    messages.awaitValues(1);
    messages.assertSilent();
    messages.request(Long.MAX_VALUE);
    sends.forEach(Probe::awaitCompletion);
    assertThat(numbers(messages.awaitValues(CREDITS + 3))).containsExactly(0, 1, 2, 3, 4, 5, 6);
  }

  @Test
  final void r13_3_aMessageNamesItsSender() {
    TransferEngine target = open();
    List<TransferEngine> origins = List.of(open(), open());
    Probe<Message> messages = stage().probe("messages", target.messages());
    for (int i = 0; i < 6; i++) {
      send(origins.get(i % 2), target, i % 2).awaitCompletion();
    }
    for (Message message : messages.awaitValues(6)) {
      TransferEngine origin = origins.get(message.bytes().getInt(0));
      assertThat(message.sender().id()).isEqualTo(origin.id());
      assertThat(message.sender()).isSameAs(target.peer(origin.address()));
    }
  }

  @Test
  final void r13_4_messagesAreKeptForTheFirstSubscriber() {
    TransferEngine origin = open();
    TransferEngine target = open();
    for (int i = 0; i < CREDITS; i++) {
      send(origin, target, i).awaitCompletion();
    }
    Probe<Message> messages = stage().probe("messages", target.messages());
    assertThat(numbers(messages.awaitValues(CREDITS))).containsExactly(0, 1, 2, 3);
  }

  @Test
  final void r13_5_thereIsOneSubscriberAtATime() {
    TransferEngine origin = open();
    TransferEngine target = open();
    Probe<Message> first = stage().probe("the first subscriber", target.messages());
    stage().probe("the second", target.messages()).awaitError(IllegalStateException.class);
    send(origin, target, 0).awaitCompletion();
    first.awaitValues(1);
    first.cancel();
    send(origin, target, 1).awaitCompletion();
    stage()
        .patience()
        .until(
            "another subscriber to get the next message",
            () -> {
              Probe<Message> next = stage().probe("the third", target.messages().take(1));
              next.awaitTerminal();
              return numbers(next.values()).equals(List.of(1));
            });
  }

  @Test
  final void r13_6_aMessageIsCopiedOnSubscribe() {
    TransferEngine origin = open();
    TransferEngine target = open();
    Probe<Message> messages = stage().probe("messages", target.messages(), 0);
    ByteBuffer buffer = ByteBuffer.allocate(4);
    Mono<Void> send = origin.send(origin.peer(target.address()), buffer);
    for (int i = 0; i < 3; i++) {
      buffer.putInt(0, i);
      Probe<Void> sent = stage().probe("send", send);
      buffer.putInt(0, -1);
      sent.awaitCompletion();
      assertThat(buffer.position()).as("position of the sender's buffer").isZero();
    }
    messages.request(3);
    assertThat(numbers(messages.awaitValues(3))).containsExactly(0, 1, 2);
  }

  @Test
  final void r13_7_cancellingAWaitingMessageWithdrawsIt() {
    Valve valve = new Valve();
    TransferEngine origin = stage().open(1, valve);
    TransferEngine target = open();
    Probe<Message> messages = stage().probe("messages", target.messages());
    send(origin, target, 0).awaitCompletion();
    messages.awaitValues(1);
    valve.shut();
    send(origin, target, 1).cancel();
    stage().fence(origin);
    valve.open();
    send(origin, target, 2).awaitCompletion();
    assertThat(numbers(messages.awaitValues(2))).containsExactly(0, 2);
  }

  @Test
  final void r13_8_aChannelThatNobodyReadsHoldsUpNoOther() {
    TransferEngine origin = open();
    TransferEngine target = open();
    MessageChannel unread = new MessageChannel(3);
    MessageChannel read = new MessageChannel(MessageChannel.MAX_NUMBER);
    Probe<Message> standard = stage().probe("messages", target.messages());
    Probe<Message> messages = stage().probe("messages of a channel", target.messages(read));
    List<Probe<Void>> waiting =
        IntStream.range(0, CREDITS + 2).mapToObj(i -> send(origin, target, unread, i)).toList();
    waiting.subList(0, CREDITS).forEach(Probe::awaitCompletion);
    List<Integer> sent = IntStream.range(0, 5 * CREDITS).boxed().toList();
    sent.stream()
        .map(number -> send(origin, target, read, number))
        .toList()
        .forEach(Probe::awaitCompletion);
    send(origin, target, 77).awaitCompletion();
    assertThat(numbers(messages.awaitValues(sent.size()))).isEqualTo(sent);
    assertThat(numbers(standard.awaitValues(1))).containsExactly(77);
    waiting.getLast().assertSilent();
    Probe<Message> late = stage().probe("messages that nobody read", target.messages(unread));
    waiting.forEach(Probe::awaitCompletion);
    assertThat(numbers(late.awaitValues(CREDITS + 2))).containsExactly(0, 1, 2, 3, 4, 5);
  }

  private Probe<Void> send(
      TransferEngine origin, TransferEngine target, MessageChannel channel, int number) {
    ByteBuffer message = ByteBuffer.allocate(4).putInt(0, number);
    return stage().probe("send", origin.send(origin.peer(target.address()), channel, message));
  }

  @Test
  final void r13_9_aLongMessageComesWholeAndLetsOthersPass() {
    TransferEngine origin = stage().open(1);
    TransferEngine target = stage().open(1);
    MessageChannel channel = new MessageChannel(5);
    Probe<Message> messages = stage().probe("long messages", target.messages(channel));
    Probe<Message> others = stage().probe("other messages", target.messages());
    int max = origin.options().maxMessageBytes();
    List<byte[]> sent = new ArrayList<>();
    List<Probe<Void>> sends = new ArrayList<>();
    for (int length : new int[] {max, 0, 16_383, 16_384, 16_385, 300_000, max}) {
      byte[] content = new byte[length];
      stage().random().nextBytes(content);
      sent.add(content);
      sends.add(
          stage()
              .probe(
                  "send",
                  origin.send(origin.peer(target.address()), channel, ByteBuffer.wrap(content))));
      sends.add(send(origin, target, length));
    }
    List<Message> received = messages.awaitValues(sent.size());
    sends.forEach(Probe::awaitCompletion);
    for (int i = 0; i < sent.size(); i++) {
      assertThat(received.get(i).bytes().mismatch(ByteBuffer.wrap(sent.get(i))))
          .as("first byte of message %s, of %s, that differs", i, sent.get(i).length)
          .isEqualTo(-1);
    }
    others.awaitValues(sent.size());
  }

  /** What was said by an engine's NICs, by who said it to whom. */
  private static Map<String, List<ByteBuffer>> byWay(List<NicTalk.Word> words) {
    return words.stream()
        .collect(
            Collectors.groupingBy(
                word -> word.speaker() + " " + word.from() + " to " + word.to(),
                Collectors.mapping(
                    word -> Objects.requireNonNullElse(word.text(), THE_END),
                    Collectors.toList())));
  }

  private void speaks(Valve speaker, Valve listener, EngineId to, List<ByteBuffer> texts) {
    NicTalk said = speaker.talk();
    NicTalk heard = listener.talk();
    texts.forEach(text -> speaker.speak(to, text));
    stage().patience().until("all NICs to have spoken", said::hasSaidAll);
    assertThat(said.said()).as("what NICs have said").hasSizeGreaterThanOrEqualTo(texts.size());
    stage()
        .patience()
        .until("as much as was said", () -> heard.heard().size() >= said.said().size());
    stage()
        .patience()
        .throughout(() ->
            assertThat(byWay(heard.heard())).as("what they heard").isEqualTo(byWay(said.said())));
  }

  @ParameterizedTest(name = "{0} NICs")
  @MethodSource("nicCounts")
  final void r13_10_whatNicsSayToEachOtherComesWholeOnceAndInOrder(int nics) {
    Valve here = new Valve();
    Valve there = new Valve();
    int fewer = (nics + 1) / 2; // so that some are spoken to by two
    Duo duo = Duo.of(stage(), stage().open(nics, here), stage().open(fewer, there));
    stage()
        .probe("writes", duo.origin().submit(Upstream.of(duo.writes(4 * nics))))
        .awaitCompletion();
    List<ByteBuffer> texts =
        IntStream.of(1, 0, 2, 255, 256, NicTalk.MAX_BYTES - 1, NicTalk.MAX_BYTES)
            .mapToObj(length -> {
              byte[] text = new byte[length];
              stage().random().nextBytes(text);
              return ByteBuffer.wrap(text);
            })
            .toList();
    speaks(here, there, duo.target().id(), texts);
    speaks(there, here, duo.origin().id(), texts);
  }

  private static ByteBuffer text(int number) {
    return ByteBuffer.allocate(4).putInt(0, number);
  }

  private static boolean hasHeard(Valve valve, @Nullable ByteBuffer text) {
    return valve.talk().heard().stream().anyMatch(word -> Objects.equals(word.text(), text));
  }

  private static List<Integer> heard(Valve valve) {
    return valve.talk().heard().stream()
        .map(word -> word.text() == null ? 0 : word.text().getInt(0))
        .toList();
  }

  @Test
  final void r13_10_whatWaitsIsLostWithItsSession() {
    Valve here = new Valve();
    Valve there = new Valve();
    Duo duo = Duo.of(stage(), stage().open(1, here), stage().open(1, there));
    stage().done(duo.origin(), duo.write(0, 1));
    EngineId peer = duo.target().id();
    here.shut();
    here.speak(peer, text(1));
    stage().patience().until("the NIC to have spoken", here.talk()::hasSaidAll);
    here.endSession(peer);
    stage().patience().until("its NIC to be told of the end", () -> hasHeard(here, null));
    here.open();
    stage().done(duo.origin(), duo.write(0, 1));
    here.speak(peer, text(2));
    stage().patience().until("what was said in another session", () -> hasHeard(there, text(2)));
    assertThat(heard(there)).as("what was heard").doesNotContain(1).containsOnlyOnce(2);
  }

  @Test
  final void r13_10_theEndOfAWayComesBetweenWhatWasSaidBeforeAndBehindIt() {
    Valve here = new Valve();
    Valve there = new Valve();
    Duo duo = Duo.of(stage(), stage().open(1, here), stage().open(1, there));
    stage().done(duo.origin(), duo.write(0, 1));
    EngineId peer = duo.target().id();
    here.speak(peer, text(1));
    stage().patience().until("the NIC to have spoken", here.talk()::hasSaidAll);
    here.loseWay(0, peer);
    stage().patience().until("the loss to be told", here::hasLostAll);
    stage().fence(duo.origin());
    here.speak(peer, text(2));
    stage().patience().until("what was said behind the loss", () -> hasHeard(there, text(2)));
    assertThat(heard(there))
        .as("what was heard, and 0 for the end, which may be told more than once")
        .startsWith(1, 0)
        .containsOnlyOnce(1, 2);
  }
}
