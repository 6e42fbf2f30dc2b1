package io.reactivetransfer.membership;

import static io.reactivetransfer.membership.TestEngines.PATIENCE;
import static io.reactivetransfer.membership.TestEngines.at;
import static io.reactivetransfer.membership.TestEngines.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.membership.NodePeer.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.BaseSubscriber;

/** Membership says who exists, the engine who is alive. */
@Timeout(60)
class NodePeersTest {

  private final TestEngines engines = new TestEngines();
  private final FakeSource source = new FakeSource();
  private final TransferEngine engine = engines.open();
  private final Seen seen = new Seen();

  /** All that it was told. */
  private static final class Seen extends BaseSubscriber<List<NodePeer>> {

    final List<List<NodePeer>> all = new CopyOnWriteArrayList<>();
    final AtomicReference<@Nullable Object> end = new AtomicReference<>();

    @Override
    protected void hookOnNext(List<NodePeer> known) {
      all.add(known);
    }

    @Override
    protected void hookOnComplete() {
      end.set("completed");
    }

    @Override
    protected void hookOnError(Throwable failure) {
      end.set(failure);
    }

    List<NodePeer> last() {
      return all.getLast();
    }

    NodePeer last(String name) {
      return last().stream()
          .filter(each -> each.node().name().equals(name))
          .findFirst()
          .orElseThrow(() -> new AssertionError(name + " is not one of " + last()));
    }

    void awaitNone() {
      org.awaitility.Awaitility.await().atMost(PATIENCE).until(() -> last().isEmpty());
    }

    void await(String name, State state) {
      org.awaitility.Awaitility.await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(last(name).state()).isEqualTo(state));
    }
  }

  @BeforeEach
  void begin() {
    NodePeers.of(engine, source::changes, node -> !node.role().equals("other")).subscribe(seen);
  }

  @AfterEach
  void end() {
    seen.cancel();
    engines.close();
  }

  @Test
  void beginsWithNobodyAndFindsWhoIsListed() {
    assertThat(seen.all).containsExactly(List.of());
    TransferEngine b = engines.open();
    TransferEngine a = engines.open();
    source.sink().exists(node("b", b));
    source.sink().exists(node("a", a));
    seen.await("a", State.ALIVE);
    seen.await("b", State.ALIVE);
    assertThat(seen.last()).extracting(each -> each.node().name()).containsExactly("a", "b");
    assertThat(seen.last("a").peer()).isSameAs(engine.peer(a.address()));
    assertThat(seen.last("a").cause()).isNull();
    assertThat(seen.last("a")).hasToString("a at " + at(a) + ": ALIVE");
  }

  @Test
  void thisEngineIsNobodyToTalkWith() {
    source.sink().exists(node("self", engine));
    source.sink().exists(node("alias", new HostPort("localhost", at(engine).port())));
    seen.await("self", State.OWN);
    seen.await("alias", State.OWN);
    assertThat(seen.last("self").peer()).isNull();
  }

  /** There, and unreachable: it has not opened its engine yet. */
  @Test
  void whoOpensLaterIsFoundThen() {
    int port = TestEngines.freePort();
    source.sink().exists(node("late", new HostPort("127.0.0.1", port)));
    seen.await("late", State.LOST);
    assertThat(seen.last("late").cause()).isInstanceOf(PeerUnreachableException.class);
    assertThat(seen.last("late").toString()).contains("LOST (").contains("127.0.0.1:" + port);
    engines.open(port);
    seen.await("late", State.ALIVE);
  }

  /** There, and lost: it has died, and its lease is not over. */
  @Test
  void whoDiedIsLostAndWhoTakesItsPlaceIsAnother() {
    TransferEngine first = engines.open(TestEngines.freePort());
    source.sink().exists(node("a", first));
    seen.await("a", State.ALIVE);
    Peer before = seen.last("a").peer();
    first.close().block(PATIENCE);
    seen.await("a", State.LOST);
    TransferEngine second = engines.open(at(first).port());
    seen.await("a", State.ALIVE);
    assertThat(seen.last("a").peer()).isNotSameAs(before).isSameAs(engine.peer(second.address()));
  }

  /** Left, and alive: it is forgotten, and found again when it is listed again. */
  @Test
  void whoHasLeftIsForgottenThoughItLives() {
    TransferEngine a = engines.open();
    source.sink().exists(node("a", a));
    seen.await("a", State.ALIVE);
    source.sink().gone("a");
    seen.awaitNone();
    int told = seen.all.size();
    a.close().block(PATIENCE);
    source.sink().exists(node("a", engines.open()));
    seen.await("a", State.ALIVE);
    assertThat(seen.all.subList(told, seen.all.size()))
        .as("of the one that had left nothing is told")
        .allSatisfy(known -> assertThat(known).noneMatch(each -> each.state() == State.LOST));
  }

  /** Left, and lost. */
  @Test
  void whoHasLeftIsNotLookedForAnyMore() {
    TransferEngine a = engines.open(TestEngines.freePort());
    source.sink().exists(node("a", a));
    seen.await("a", State.ALIVE);
    a.close().block(PATIENCE);
    seen.await("a", State.LOST);
    source.sink().gone("a");
    seen.awaitNone();
    engines.open(at(a).port());
    TransferEngine b = engines.open();
    source.sink().exists(node("b", b));
    seen.await("b", State.ALIVE);
    assertThat(seen.last()).hasSize(1);
  }

  @Test
  void aChangedLabelIsNoReasonToLookForItAnew() {
    TransferEngine a = engines.open();
    source.sink().exists(node("a", a));
    seen.await("a", State.ALIVE);
    int told = seen.all.size();
    source.sink().exists(node("a", a).withLabel("version", "2"));
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(seen.all.subList(told, seen.all.size())).hasSize(1));
    assertThat(seen.last("a").state()).isEqualTo(State.ALIVE);
    assertThat(seen.last("a").node().label("version")).isEqualTo("2");
  }

  @Test
  void aChangedAddressIsAnotherEngine() {
    TransferEngine a = engines.open();
    TransferEngine b = engines.open();
    source.sink().exists(node("a", a));
    seen.await("a", State.ALIVE);
    source.sink().exists(node("a", b));
    seen.await("a", State.ALIVE);
    await().atMost(PATIENCE).until(() -> seen.last("a").peer() == engine.peer(b.address()));
    assertThat(seen.all)
        .allSatisfy(known ->
            assertThat(known)
                .allSatisfy(each ->
                    assertThat(each.peer() == null ? null : each.peer().address().control())
                        .as("never one's node with another one's peer")
                        .isIn(null, each.node().address())));
  }

  @Test
  void whoIsNotWantedAnyMoreIsForgotten() {
    TransferEngine a = engines.open();
    source.sink().exists(new Node("a", "other", at(a), Map.of()));
    seen.awaitNone();
    source.sink().exists(node("a", a));
    seen.await("a", State.ALIVE);
    source.sink().exists(new Node("a", "other", at(a), Map.of()));
    seen.awaitNone();
    source.sink().exists(node("a", a));
    seen.await("a", State.ALIVE);
  }

  @Test
  void endsAsTheMembershipDoes() {
    IllegalStateException failure = new IllegalStateException("no more lists");
    source.sink().exists(node("a", engines.open()));
    source.sink().error(failure);
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(seen.end).hasValue(failure));
  }

  @Test
  void completesWhenTheEngineCloses() {
    source.sink().exists(node("a", engines.open()));
    seen.await("a", State.ALIVE);
    engine.close().block(PATIENCE);
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(seen.end).hasValue("completed"));
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(source.ends).hasValue(1));
  }

  @Test
  void aCancelEndsAll() {
    TransferEngine a = engines.open();
    source.sink().exists(node("a", a));
    seen.await("a", State.ALIVE);
    seen.cancel();
    assertThat(source.ends).hasValue(1);
    int told = seen.all.size();
    a.close().block(PATIENCE);
    assertThat(seen.all).hasSize(told);
  }

  @Test
  void aSlowSubscriberGetsTheLast() {
    List<List<NodePeer>> got = new ArrayList<>();
    FakeSource other = new FakeSource();
    Predicate<Node> all = node -> true;
    BaseSubscriber<List<NodePeer>> slow =
        new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(org.reactivestreams.Subscription subscription) {
            // asks later
          }

          @Override
          protected void hookOnNext(List<NodePeer> known) {
            got.add(known);
          }
        };
    NodePeers.of(engine, other::changes, all).subscribe(slow);
    other.sink().exists(node("self", engine));
    other.sink().gone("self");
    other.sink().exists(node("again", engine));
    slow.request(1);
    assertThat(got).singleElement().satisfies(known -> assertThat(known).hasSize(1));
    assertThat(got.getFirst().getFirst().node().name()).isEqualTo("again");
    slow.cancel();
  }

  @Test
  void theLivingOfARoleComeOnce() {
    TransferEngine a = engines.open();
    List<List<Peer>> got = new CopyOnWriteArrayList<>();
    FakeSource other = new FakeSource();
    reactor.core.Disposable subscription =
        NodePeers.alive(engine, other::changes, "prefill").subscribe(got::add);
    other.sink().exists(node("a", a));
    other.sink().exists(node("alias", a));
    other.sink().exists(node("self", engine));
    other.sink().exists(new Node("d", "decode", at(engines.open()), Map.of()));
    await().atMost(PATIENCE).until(() -> got.size() == 2);
    assertThat(got).containsExactly(List.of(), List.of(engine.peer(a.address())));
    a.close().block(PATIENCE);
    await().atMost(PATIENCE).until(() -> got.getLast().isEmpty());
    subscription.dispose();
  }
}
