package io.reactivetransfer.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.fuzz.CapturedLog;
import io.reactivetransfer.membership.NodeChange.Changed;
import io.reactivetransfer.membership.NodeChange.Joined;
import io.reactivetransfer.membership.NodeChange.Left;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;
import reactor.test.subscriber.TestSubscriber;

class NodeChangesTest {

  private final FakeSource source = new FakeSource();
  private final TestSubscriber<NodeChange> subscriber =
      TestSubscriber.builder().initialRequest(0).build();

  private static Node node(String name, int port) {
    return Node.of(name, "role", new HostPort("host", port));
  }

  private void subscribe() {
    source.changes().subscribe(subscriber);
  }

  private List<NodeChange> received() {
    return subscriber.getReceivedOnNext();
  }

  @Test
  void whatDiffersIsTold() {
    subscribe();
    subscriber.request(Long.MAX_VALUE);
    source.sink().all(List.of(node("a", 1), node("b", 1)));
    source.sink().exists(node("a", 1));
    source.sink().exists(node("a", 2));
    source.sink().gone("b");
    source.sink().gone("b");
    source.sink().gone("nobody");
    assertThat(received())
        .containsExactly(
            new Joined(node("a", 1)),
            new Joined(node("b", 1)),
            new Changed(node("a", 1), node("a", 2)),
            new Left(node("b", 1)));
  }

  @Test
  void aNewListIsComparedWithWhatWasTold() {
    subscribe();
    subscriber.request(Long.MAX_VALUE);
    source.sink().all(List.of(node("stays", 1), node("changes", 1), node("leaves", 1)));
    int before = received().size();
    source.sink().all(List.of(node("joins", 1), node("changes", 2), node("stays", 1)));
    assertThat(received().subList(before, received().size()))
        .containsExactly(
            new Left(node("leaves", 1)),
            new Joined(node("joins", 1)),
            new Changed(node("changes", 1), node("changes", 2)));
  }

  @Test
  void slowSubscribersHearOfEachNodeOnce() {
    subscribe();
    source.sink().exists(node("a", 1));
    subscriber.request(1);
    IntStream.rangeClosed(2, 1_000)
        .forEach(port -> {
          source.sink().exists(node("a", port));
          source.sink().exists(node("b", port));
        });
    subscriber.request(1);
    source.sink().gone("b");
    subscriber.request(10);
    assertThat(received())
        .containsExactly(new Joined(node("a", 1)), new Changed(node("a", 1), node("a", 1_000)));
  }

  @Test
  void whatIsAsBeforeIsNotTold() {
    subscribe();
    source.sink().exists(node("a", 1));
    subscriber.request(1);
    source.sink().gone("a");
    source.sink().exists(node("a", 1));
    subscriber.request(10);
    assertThat(received()).containsExactly(new Joined(node("a", 1)));
  }

  /** The one that has waited for longest comes first, however often another one changes. */
  @Test
  void aRestlessNodeKeepsNoOtherFromBeingTold() {
    subscribe();
    List<Node> nodes = List.of(node("a", 1), node("b", 1), node("c", 1));
    source.sink().all(nodes);
    subscriber.request(3);
    nodes.reversed().forEach(node -> source.sink().exists(node(node.name(), 2)));
    source.sink().exists(node("c", 3));
    subscriber.request(1);
    source.sink().exists(node("c", 4));
    subscriber.request(2);
    assertThat(received().stream().skip(3).map(change -> change.node().name()))
        .containsExactly("c", "b", "a");
  }

  /** Nodes with new names all the time, as of pods that are started again and again. */
  @Test
  void whatWasNeverToldAndHasGoneTakesNoMemory() {
    NodeTable table = new NodeTable(10);
    for (int i = 0; i < 1_000; i++) {
      table.put(node("node-" + i, 1));
      table.remove("node-" + i);
    }
    assertThat(table.size()).isZero();
    table.put(node("a", 1));
    assertThat(table.next()).isEqualTo(new Joined(node("a", 1)));
    table.remove("a");
    assertThat(table.next()).isEqualTo(new Left(node("a", 1)));
    assertThat(table.next()).isNull();
    assertThat(table.size()).isZero();
  }

  @Test
  void tooManyNodesEndTheSubscription() {
    subscribe();
    for (int i = 0; i <= FakeSource.MAX_NODES; i++) {
      assertThat(source.ends).hasValue(0);
      source.sink().exists(node("node-" + i, 1));
    }
    assertThat(subscriber.expectTerminalError())
        .isInstanceOf(MembershipException.class)
        .hasMessageStartingWith("expected at most 100 nodes, got more");
    assertThat(source.ends).hasValue(1);
  }

  @Test
  void anErrorEndsWithoutBeingAskedForAndOnlyOnce() {
    subscribe();
    source.sink().exists(node("a", 1));
    source.sink().error(new IllegalStateException("first"));
    source.sink().error(new IllegalStateException("second"));
    source.sink().exists(node("b", 1));
    subscriber.request(10);
    assertThat(subscriber.expectTerminalError()).hasMessage("first");
    assertThat(received()).isEmpty();
    assertThat(subscriber.getProtocolErrors()).isEmpty();
    assertThat(source.ends).hasValue(1);
  }

  @Test
  void eachSubscriptionStartsTheSourceAndACancelEndsIt() {
    var changes = source.changes();
    assertThat(source.starts).hasValue(0);
    changes.subscribe(subscriber);
    changes.subscribe().dispose();
    assertThat(source.starts).hasValue(2);
    assertThat(source.ends).hasValue(1);
    subscriber.cancel();
    subscriber.cancel();
    assertThat(source.ends).hasValue(2);
  }

  @Test
  void aSourceThatThrowsEndsTheSubscription() {
    NodeSource failing =
        _ -> {
          throw new IllegalStateException("no source");
        };
    StepVerifier.create(NodeChanges.of(failing, 1, Schedulers.immediate()))
        .verifyErrorMessage("no source");
  }

  @Test
  void badRequestsEndTheSubscription() {
    List<Throwable> errors = new ArrayList<>();
    source
        .changes()
        .subscribe(
            new CoreSubscriber<>() {
              @Override
              public void onSubscribe(Subscription subscription) {
                subscription.request(0);
                subscription.request(-1);
              }

              @Override
              public void onNext(NodeChange change) {}

              @Override
              public void onError(Throwable reason) {
                errors.add(reason);
              }

              @Override
              public void onComplete() {}
            });
    assertThat(errors)
        .singleElement()
        .extracting(Throwable::getMessage)
        .isEqualTo("expected a request of 1 or more (rule 3.9), got 0");
    assertThat(source.starts).hasValue(0);
  }

  @Test
  void whatASubscriberThrowsEndsItsSubscription() {
    List<Throwable> errors = new ArrayList<>();
    source
        .changes()
        .subscribe(
            _ -> {
              throw new IllegalStateException("in the subscriber");
            },
            errors::add);
    source.sink().exists(node("a", 1));
    assertThat(errors)
        .singleElement()
        .extracting(Throwable::getMessage)
        .isEqualTo("in the subscriber");
    assertThat(source.ends).hasValue(1);
  }

  @Test
  void aSchedulerThatTakesNoTasksEndsTheSubscription() {
    Scheduler gone = Schedulers.newSingle("gone");
    gone.dispose();
    source.changes(gone).subscribe(subscriber);
    assertThat(subscriber.expectTerminalError()).isInstanceOf(RejectedExecutionException.class);
    assertThat(source.starts).hasValue(0);
  }

  @Test
  void aSchedulerThatTakesNoMoreTasksEndsTheSubscription() {
    HeldScheduler gone = new HeldScheduler();
    source.changes(gone).subscribe(subscriber);
    gone.runAll();
    gone.dispose();
    source.sink().exists(node("a", 1));
    assertThat(subscriber.expectTerminalError()).isInstanceOf(RejectedExecutionException.class);
    assertThat(source.ends).hasValue(1);
  }

  /** Whatever it still tells, and whoever it tells it to does not look. */
  @Test
  void oneNodeTooManyEndsTheSourceAtOnceAndItsReasonStays() {
    HeldScheduler later = new HeldScheduler();
    source.changes(later).subscribe(subscriber);
    for (int i = 0; i <= FakeSource.MAX_NODES; i++) {
      source.sink().exists(node("node-" + i, 1));
    }
    assertThat(source.ends).hasValue(1);
    source.sink().error(new IllegalStateException("later"));
    later.runAll();
    assertThat(subscriber.expectTerminalError()).isInstanceOf(MembershipException.class);
  }

  @Test
  void whatASubscriberThrowsOfAnErrorIsNoSecondError() {
    List<Throwable> errors = new ArrayList<>();
    source
        .changes()
        .subscribe(
            new CoreSubscriber<>() {
              @Override
              public void onSubscribe(Subscription subscription) {}

              @Override
              public void onNext(NodeChange change) {}

              @Override
              public void onError(Throwable reason) {
                errors.add(reason);
                throw new IllegalStateException("in the subscriber");
              }

              @Override
              public void onComplete() {}
            });
    source.sink().error(new IllegalStateException("first"));
    assertThat(errors).singleElement().extracting(Throwable::getMessage).isEqualTo("first");
  }

  @Test
  void nothingIsSignalledBeforeOnSubscribeHasReturned() {
    List<String> order = new ArrayList<>();
    source
        .changes()
        .subscribe(
            new CoreSubscriber<>() {
              @Override
              public void onSubscribe(Subscription subscription) {
                subscription.request(0);
                order.add("subscribed");
              }

              @Override
              public void onNext(NodeChange change) {}

              @Override
              public void onError(Throwable reason) {
                order.add("error");
              }

              @Override
              public void onComplete() {}
            });
    assertThat(order).containsExactly("subscribed", "error");
  }

  @Test
  void aSchedulerThatIsDisposedOfWithItsTaskKeepsNoSourceAlive() {
    HeldScheduler gone = new HeldScheduler();
    source.changes(gone).subscribe(subscriber);
    source.sink().exists(node("a", 1));
    assertThat(source.ends).hasValue(0);
    gone.dispose();
    source.sink().exists(node("a", 2));
    assertThat(source.ends).hasValue(1);
  }

  /** Reactor signals nothing more to a plain subscriber that throws in onNext: the log says so. */
  @Test
  void whatAPlainSubscriberThrowsIsLoggedOnce() {
    try (CapturedLog log = new CapturedLog()) {
      source.changes().subscribe(new Throwing());
      source.sink().all(List.of(node("a", 1), node("b", 1)));
      assertThat(log.lines("a subscriber has thrown in onNext")).hasSize(1);
      assertThat(log.text()).contains("WARN", "thrown by a test");
      assertThat(source.ends).hasValue(1);
    }
  }

  private static final class Throwing implements Subscriber<NodeChange> {

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(NodeChange change) {
      throw new IllegalStateException("thrown by a test");
    }

    @Override
    public void onError(Throwable reason) {}

    @Override
    public void onComplete() {}
  }

  @Test
  void limitsAreChecked() {
    assertThatThrownBy(() -> NodeChanges.of(source, 0, Schedulers.immediate()))
        .hasMessage("expected 1 node or more at most, got 0");
  }
}
