package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.ScriptedControl.Frame;
import io.reactivetransfer.engine.base.HandScheduler;
import io.reactivetransfer.engine.base.Probe;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** Small messages, and the credits that hold back whoever sends too many. */
class MessagesTest {

  /** Of a message, behind the kind. */
  private static final int HEADER_BYTES = 5;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private Probe<Void> send(Peer peer, int content) {
    Probe<Void> probe = hand.probe(hand.engine().send(peer, bytes(content)));
    hand.turn();
    return probe;
  }

  private static ByteBuffer bytes(int content) {
    return ByteBuffer.allocate(4).putInt(content).flip();
  }

  private void hello(int peer) {
    hand.receive(peer, hand.hello(peer));
  }

  /** A peer takes so many more. */
  private void credit(int peer, int count) {
    hand.receive(peer, hand.credit(peer, count));
  }

  private void message(int peer, int content) {
    hand.control().receive(hand.peer(peer).id(), ControlFrame.message(0, bytes(content)));
    hand.turn();
  }

  private List<Integer> sent() {
    return hand.control().sent(ControlFrame.MESSAGE).stream()
        .map(frame -> ByteBuffer.wrap(frame.content()).getInt(HEADER_BYTES))
        .toList();
  }

  /** How many messages of the first channel the engine takes in all, as it has said. */
  private int granted() {
    return hand.control().sent(ControlFrame.CREDIT).stream()
        .map(frame -> ByteBuffer.wrap(frame.content()))
        .filter(credit -> credit.get(4) <= 0)
        .mapToInt(credit -> credit.getInt(5))
        .sum();
  }

  private static List<Integer> contents(Probe<Message> probe) {
    return probe.items().stream().map(message -> message.bytes().getInt(0)).toList();
  }

  // ---- sending ----

  @Test
  void theFirstThingThatAPeerIsToldIsOurAddress() {
    hand.open(2);
    hand.control().peersGreet = false;
    Probe<Void> probe = send(hand.peer(1), 7);
    probe.assertOpen();
    assertThat(hand.control().sent()).hasSize(1);
    Frame hello = hand.control().sent().getFirst();
    assertThat(hello.to()).isEqualTo(hand.peer(1).id());
    assertThat(hello.kind()).isEqualTo(ControlFrame.HELLO);
    assertThat(ByteBuffer.wrap(hello.content()).getInt(4)).as("the peer's number").isZero();
    assertThat(ByteBuffer.wrap(hello.content()).getInt(8)).as("the longest").isEqualTo(1 << 20);
    Greeting greeting = Greeting.read(ByteBuffer.wrap(hello.content()));
    assertThat(greeting.address()).isEqualTo(hand.engine().address());
    assertThat(greeting.nics())
        .extracting(nic -> new String(nic.address(), StandardCharsets.US_ASCII))
        .containsExactly("nic0", "nic1");
    assertThat(hand.control().lastAddress()).isEqualTo(hand.address(1).control());
    credit(1, 1);
    probe.assertComplete();
    assertThat(sent()).containsExactly(7);
  }

  @Test
  void withoutCreditTheSenderWaits() {
    hand.open(1);
    Peer peer = hand.peer(1);
    List<Probe<Void>> probes = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      probes.add(send(peer, i));
    }
    probes.forEach(Probe::assertOpen);
    credit(1, 2);
    assertThat(sent()).containsExactly(0, 1);
    probes.get(1).assertComplete();
    probes.get(2).assertOpen();
    credit(1, 1);
    probes.get(2).assertComplete();
    probes.get(3).assertOpen();
    credit(1, 10);
    assertThat(sent()).containsExactly(0, 1, 2, 3, 4);
  }

  @Test
  void cancellingWithdrawsWhatWaits() {
    hand.open(1);
    Peer peer = hand.peer(1);
    send(peer, 0);
    Probe<Void> withdrawn = send(peer, 1);
    send(peer, 2);
    withdrawn.cancel();
    hand.turn();
    credit(1, 10);
    assertThat(sent()).containsExactly(0, 2);
    assertThat(withdrawn.terminals()).isZero();
  }

  @Test
  void cancellingBeforeTheFirstTurnWithdraws() {
    hand.open(1);
    credit(1, 5);
    Probe<Void> probe = hand.probe(hand.engine().send(hand.peer(1), bytes(1)));
    probe.cancel();
    hand.turn();
    assertThat(sent()).isEmpty();
  }

  /** More than the worker has commands in one turn, and the peer takes all of them. */
  @Test
  void cancellingManyBeforeTheFirstTurnWithdrawsThemAll() {
    hand.open(1);
    hello(1);
    credit(1, 1_000);
    for (int i = 0; i < 1_000; i++) {
      hand.probe(hand.engine().send(hand.peer(1), bytes(i))).cancel();
    }
    hand.turn();
    assertThat(sent()).isEmpty();
  }

  @Test
  void cancellingAfterItWasSentIsTooLate() {
    hand.open(1);
    Probe<Void> probe = send(hand.peer(1), 1);
    credit(1, 1);
    probe.assertComplete();
    probe.cancel();
    hand.turn();
    assertThat(sent()).containsExactly(1);
  }

  @Test
  void eachSubscriptionSendsWhatTheBufferThenHolds() {
    hand.open(1);
    ByteBuffer buffer = bytes(1);
    var mono = hand.engine().send(hand.peer(1), buffer);
    hand.turn();
    assertThat(hand.control().sent()).isEmpty();
    hand.probe(mono);
    buffer.putInt(0, 2);
    hand.probe(mono);
    buffer.putInt(0, 3);
    assertThat(buffer.remaining()).as("not consumed").isEqualTo(4);
    hand.turn();
    credit(1, 5);
    assertThat(sent()).containsExactly(1, 2);
  }

  @Test
  void aMessageMayBeEmptyOrAsLongAsAllowed() {
    hand.open(1, o -> o.maxMessageBytes(100));
    Probe<Void> empty = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(0)));
    Probe<Void> full = hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(100)));
    hand.turn();
    credit(1, 5);
    empty.assertComplete();
    full.assertComplete();
    assertThat(hand.control().sent(ControlFrame.MESSAGE))
        .extracting(frame -> frame.content().length - HEADER_BYTES)
        .containsExactly(0, 100);
  }

  @Test
  void aLongerOneIsRefused() {
    hand.open(1, o -> o.maxMessageBytes(100));
    assertThatExceptionOfType(TransferRejectedException.class)
        .isThrownBy(() -> hand.engine().send(hand.peer(1), ByteBuffer.allocate(101)))
        .withMessageContaining("100")
        .withMessageContaining("101");
  }

  @Test
  void oneThatHasGrownSinceIsRefused() {
    hand.open(1, o -> o.maxMessageBytes(100));
    ByteBuffer buffer = ByteBuffer.allocate(200).limit(50);
    var mono = hand.engine().send(hand.peer(1), buffer);
    buffer.clear();
    Probe<Void> probe = hand.probe(mono);
    hand.turn();
    assertThat(probe.error()).isInstanceOf(TransferRejectedException.class);
  }

  @Test
  void whatTheChannelRefusesIsTriedAgainInOrder() {
    hand.open(1);
    Peer peer = hand.peer(1);
    hand.control().sendRoom = 0;
    for (int i = 0; i < 6; i++) {
      send(peer, i);
    }
    assertThat(hand.control().sent()).isEmpty();
    for (int i = 0; i < 2 + 1 + 6; i++) { // greetings, credit for who greets in turn, and these
      if (i == 1) {
        credit(1, 6);
      }
      hand.control().sendRoom = 1;
      hand.turn();
      assertThat(hand.control().sent()).hasSize(i + 1);
    }
    assertThat(hand.control().sent().getFirst().kind()).isEqualTo(ControlFrame.HELLO);
    assertThat(sent()).containsExactly(0, 1, 2, 3, 4, 5);
  }

  @Test
  void onePeerWithoutCreditHoldsUpNoOther() {
    hand.open(1);
    Probe<Void> waiting = send(hand.peer(1), 1);
    Probe<Void> going = send(hand.peer(2), 2);
    credit(2, 1);
    going.assertComplete();
    waiting.assertOpen();
  }

  /** NICs carry no messages, so that it is no matter to these whether a NIC understands its own. */
  @Test
  void toAPeerWhoseNicsCannotBeResolvedTheyGoAllTheSame() {
    hand.open(1);
    hand.nic(0).resolveFailure = new io.reactivetransfer.spi.BackendException(3, "no address");
    Probe<Void> probe = send(hand.peer(1), 1);
    credit(1, 1);
    probe.assertComplete();
    hello(1);
    message(1, 42);
    Probe<Message> probeOfMessages = hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(contents(probeOfMessages)).containsExactly(42);
  }

  @Test
  void creditEndsWithItsSession() {
    hand.open(1);
    send(hand.peer(1), 1);
    credit(1, 5);
    hand.lose(hand.peer(1));
    Probe<Void> probe = send(hand.peer(1), 2);
    probe.assertOpen();
    assertThat(hand.control().sent(ControlFrame.HELLO)).as("twice in each session").hasSize(4);
    credit(1, 1);
    probe.assertComplete();
    assertThat(sent()).containsExactly(1, 2);
  }

  /** Where there are several NICs, a loss may be told late on one side, or not at all. */
  @Test
  void creditThatCameBeforeALateLossIsStillGood() {
    hand.open(2);
    hello(1);
    credit(1, 2);
    hand.nic(1).lose(hand.peer(1).id(), 104, "one of its links broke");
    hand.turn();
    send(hand.peer(1), 1).assertComplete();
    message(1, 7);
    Probe<Message> probe = hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(contents(probe)).as("the peer was not told of a loss, and sends").containsExactly(7);
  }

  // ---- receiving ----

  @Test
  void whoGreetsIsGrantedCredit() {
    hand.open(1, o -> o.messageCredits(5));
    hello(1);
    assertThat(hand.control().sent())
        .extracting(Frame::kind)
        .containsExactly(ControlFrame.HELLO, ControlFrame.CREDIT);
    assertThat(granted()).isEqualTo(5);
  }

  @Test
  void whatCameBeforeTheSubscriberIsKeptForHim() {
    hand.open(1);
    hello(1);
    message(1, 10);
    message(1, 11);
    Probe<Message> probe = hand.probe(hand.engine().messages(), new Probe<>(0));
    hand.turn();
    assertThat(probe.items()).isEmpty();
    probe.request(1);
    hand.turn();
    assertThat(contents(probe)).containsExactly(10);
    probe.request(10);
    message(1, 12);
    assertThat(contents(probe)).containsExactly(10, 11, 12);
    assertThat(probe.items().getFirst().sender()).isSameAs(hand.peer(1));
  }

  @Test
  void takingMessagesBecomesCredit() {
    hand.open(1, o -> o.messageCredits(4));
    hello(1);
    for (int i = 0; i < 4; i++) {
      message(1, i);
    }
    assertThat(granted()).isEqualTo(4);
    Probe<Message> probe = hand.probe(hand.engine().messages(), new Probe<>(0));
    hand.turn();
    for (int i = 1; i <= 4; i++) {
      probe.request(1);
      hand.turn();
      assertThat(granted()).isBetween(4 + i / 2, 4 + i);
    }
  }

  @Test
  void aCreditOfOneIsEnough() {
    hand.open(1, o -> o.messageCredits(1));
    hello(1);
    Probe<Message> probe = hand.probe(hand.engine().messages());
    for (int i = 0; i < 20; i++) {
      assertThat(granted()).isEqualTo(i + 1);
      message(1, i);
    }
    assertThat(probe.count()).isEqualTo(20);
  }

  @Test
  void whatCameWithoutCreditIsDropped() {
    hand.open(1, o -> o.messageCredits(2));
    hello(1);
    for (int i = 0; i < 5; i++) {
      message(1, i);
    }
    Probe<Message> probe = hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(contents(probe)).containsExactly(0, 1);
  }

  @Test
  void aSecondSubscriberIsRefusedAndHarmsNoOther() {
    hand.signals = new HandScheduler();
    hand.open(1);
    hello(1);
    Probe<Message> first = hand.probe(hand.engine().messages());
    hand.turn();
    Probe<Message> second = hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(second.error())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("one subscriber");
    message(1, 1);
    assertThat(contents(first)).containsExactly(1);
  }

  @Test
  void theNextSubscriberGetsWhatRemains() {
    hand.signals = new HandScheduler();
    hand.open(1);
    hello(1);
    for (int i = 0; i < 6; i++) {
      message(1, i);
    }
    Probe<Message> first = hand.probe(hand.engine().messages(), new Probe<>(2));
    hand.turn();
    assertThat(contents(first)).containsExactly(0, 1);
    first.cancel();
    Probe<Message> second = Probe.unbounded();
    hand.probe(
        hand.engine().messages(),
        second.onItem((p, message) -> {
          if (p.count() == 2) {
            p.cancel();
          }
        }));
    hand.turn();
    assertThat(contents(second)).containsExactly(2, 3);
    Probe<Message> third = hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(contents(third)).containsExactly(4, 5);
  }

  @Test
  void whoCancelsWhileASignalIsOnItsWayLosesNothing() {
    HandScheduler signals = new HandScheduler();
    hand.signals = signals;
    hand.open(1);
    hello(1);
    Probe<Message> first = hand.probe(hand.engine().messages());
    hand.turn();
    hand.control().receive(hand.peer(1).id(), ControlFrame.message(0, bytes(5)));
    hand.turnWorker();
    assertThat(signals.pending()).isPositive();
    first.cancel();
    Probe<Message> second = hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(contents(second)).containsExactly(5);
    assertThat(first.items()).isEmpty();
  }

  @Test
  void askingForLessThanOneIsAnErrorAndMakesRoom() {
    hand.open(1);
    Probe<Message> probe = hand.probe(hand.engine().messages(), new Probe<>(0));
    Probe<Message> next = Probe.unbounded();
    probe.onEnd(p -> hand.probe(hand.engine().messages(), next));
    probe.request(0);
    hand.turn();
    assertThat(probe.error())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rule 3.9");
    hello(1);
    message(1, 4);
    assertThat(contents(next)).containsExactly(4);
  }

  @Test
  void aLostPeersMessagesAreStillDelivered() {
    hand.open(1, o -> o.messageCredits(2));
    hello(1);
    message(1, 1);
    message(1, 2);
    hand.lose(hand.peer(1));
    int frames = hand.control().sent().size();
    Probe<Message> probe = hand.probe(hand.engine().messages());
    hand.turn();
    assertThat(contents(probe)).containsExactly(1, 2);
    assertThat(hand.control().sent()).as("no credit for who is gone").hasSize(frames);
    hello(1);
    assertThat(granted()).isEqualTo(4);
    message(1, 3);
    assertThat(contents(probe)).containsExactly(1, 2, 3);
  }

  @Test
  void whatWasLostOnTheWayTakesNoPlace() {
    hand.open(1, o -> o.messageCredits(2));
    hello(1);
    hand.lose(hand.peer(1));
    hello(1);
    assertThat(granted()).isEqualTo(4);
    Probe<Message> probe = hand.probe(hand.engine().messages());
    message(1, 3);
    message(1, 4);
    assertThat(contents(probe)).containsExactly(3, 4);
  }

  @Test
  void whoComesBackDoesNotGetMoreCreditThanThereIsRoom() {
    hand.open(1, o -> o.messageCredits(4));
    hello(1);
    for (int i = 0; i < 3; i++) {
      message(1, i);
    }
    hand.lose(hand.peer(1));
    hello(1);
    assertThat(granted()).as("3 of 4 places are taken").isEqualTo(4 + 1);
  }

  // ---- garbage ----

  @Test
  void garbageIsSurvived() {
    hand.open(1);
    Probe<Message> probe = hand.probe(hand.engine().messages());
    hello(1);
    EngineId known = hand.peer(1).id();
    EngineId unknown = new EngineId(66, 66);
    PeerAddress otherBackend = new PeerAddress("other", unknown, hand.address(1).control());
    List<ByteBuffer> garbage =
        List.of(
            ByteBuffer.allocate(0),
            ByteBuffer.wrap(new byte[] {0}),
            ByteBuffer.wrap(new byte[] {99, 1, 2, 3}),
            ByteBuffer.wrap(new byte[] {ControlFrame.HELLO}),
            ByteBuffer.wrap(new byte[] {ControlFrame.HELLO, 'R', 'T', 'A', 1}),
            ByteBuffer.allocate(60_000).put(0, ControlFrame.HELLO),
            ByteBuffer.wrap(new byte[] {ControlFrame.CREDIT}),
            ByteBuffer.wrap(new byte[] {ControlFrame.CREDIT, 1, 2, 3}),
            ByteBuffer.wrap(new byte[] {ControlFrame.CREDIT, 1, 2, 3, 4, 5}),
            hand.hello(3, 1, 0), // which names a third one
            new Greeting(1, 0, 1, otherBackend, EngineByHand.nics(66, 1)).toFrame());
    for (EngineId sender : List.of(known, unknown)) {
      for (ByteBuffer frame : garbage) {
        hand.control().receive(sender, frame.duplicate());
        hand.turn();
      }
    }
    hand.control().receive(unknown, ControlFrame.message(0, bytes(1)));
    hand.control().receive(unknown, ControlFrame.credit(1, 0, 5, 5));
    hand.turn();
    probe.assertOpen();
    assertThat(probe.items()).isEmpty();
    message(1, 42);
    assertThat(contents(probe)).containsExactly(42);
  }

  @Test
  void aGreetingUnderAnotherAddressIsIgnored() {
    hand.open(1);
    hello(1);
    hand.control().receive(hand.peer(1).id(), EngineByHand.hello(hand.peer(1).id(), 5, 1, 0));
    hand.turn();
    assertThat(granted()).isEqualTo(16);
    message(1, 1);
  }

  @Test
  void whatANicCannotResolveIsNotTriedForever() {
    hand.open(1);
    hand.nic(0).resolveFailure = new io.reactivetransfer.spi.BackendException(3, "no address");
    hello(1);
    hand.control().receive(hand.peer(1).id(), ControlFrame.ask());
    hand.turn();
    int tried = hand.nic(0).resolves;
    assertThat(tried).isPositive();
    hand.turn();
    hand.turn();
    assertThat(hand.nic(0).resolves).isEqualTo(tried);
  }

  @Test
  void creditThatIsNotCreditIsIgnored() {
    hand.open(1);
    Probe<Void> probe = send(hand.peer(1), 1);
    credit(1, 0);
    credit(1, -5);
    credit(1, Integer.MIN_VALUE);
    probe.assertOpen();
    credit(1, Integer.MAX_VALUE);
    credit(1, Integer.MAX_VALUE);
    probe.assertComplete();
    send(hand.peer(1), 2).assertComplete();
  }

  @Test
  void randomFramesAreSurvived() {
    hand.open(1);
    Probe<Message> probe = hand.probe(hand.engine().messages());
    hello(1);
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      byte[] noise = new byte[random.nextInt(40)];
      random.nextBytes(noise);
      if (noise.length > 0 && random.nextBoolean()) {
        noise[0] = (byte) (1 + random.nextInt(3));
      }
      EngineId sender = random.nextBoolean() ? hand.peer(1).id() : new EngineId(0, i);
      hand.control().receive(sender, ByteBuffer.wrap(noise));
    }
    hand.turn();
    assertThat(hand.engine().isClosed()).as("seed %d", seed).isFalse();
    probe.assertOpen();
  }

  /** The worker knows a reader before its subscriber does. */
  @Test
  void aReaderHearsNothingBeforeItHasItsSubscription() {
    hand.open(1);
    List<String> heard = new ArrayList<>();
    hand.engine()
        .messages()
        .subscribe(
            new CoreSubscriber<>() {
              @Override
              public void onSubscribe(Subscription subscription) {
                hand.probe(hand.engine().close());
                hand.turn();
                heard.add("subscription");
              }

              @Override
              public void onNext(Message message) {
                heard.add("message");
              }

              @Override
              public void onError(Throwable failure) {
                heard.add(failure.toString());
              }

              @Override
              public void onComplete() {
                heard.add("end");
              }
            });
    hand.turn();
    assertThat(heard).containsExactly("subscription", "end");
  }

  @Test
  void whatHasBegunGoesOnThoughThePeerTakesNoLongerSuchLongOnes() {
    hand.open(1);
    Peer peer = hand.peer(1);
    hand.receive(1, hand.hello(1));
    hand.receive(1, hand.credit(1, 2));
    hand.control().sendRoom = 4;
    Probe<Void> begun = hand.probe(hand.engine().send(peer, ByteBuffer.allocate(100_000)));
    Probe<Void> next = hand.probe(hand.engine().send(peer, ByteBuffer.allocate(20_000)));
    hand.turn();
    begun.assertOpen();
    hand.receive(
        1,
        new Greeting(1, hand.epoch(1), 50_000, hand.address(1), EngineByHand.nics(1, 1)).toFrame());
    hand.control().sendRoom = 100;
    hand.turn();
    begun.assertComplete();
    next.assertComplete();
  }
}
