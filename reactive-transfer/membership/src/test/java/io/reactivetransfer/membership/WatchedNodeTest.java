package io.reactivetransfer.membership;

import static io.reactivetransfer.membership.TestEngines.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.membership.NodePeer.State;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** What an engine says of a node, one thing after the other, as a test has it. */
@Timeout(60)
class WatchedNodeTest {

  private static final HostPort AT = new HostPort("10.0.0.7", 7400);
  private static final PeerState.Lost LOST =
      new PeerState.Lost(new PeerUnreachableException("it was silent"));

  /** The engine at the node's address. */
  private static final class FoundPeer {
    final Sinks.Many<PeerState> states = Sinks.many().replay().latest();
    final Peer peer =
        fake(
            Peer.class,
            (method, arguments) ->
                switch (method) {
                  case "state" -> states.asFlux();
                  case "present" -> new PeerState.Unknown();
                  default -> null;
                });

    void says(PeerState state) {
      states.tryEmitNext(state).orThrow();
    }
  }

  private static final HostPort B = new HostPort("10.0.0.8", 7400);

  private final AtomicInteger dials = new AtomicInteger();
  private final AtomicInteger dialsOfB = new AtomicInteger();
  private final AtomicReference<Mono<Peer>> there = new AtomicReference<>(Mono.never());
  private final AtomicReference<List<NodePeer>> last = new AtomicReference<>();
  private final FakeSource source = new FakeSource();
  private final FoundPeer first = new FoundPeer();
  private final FoundPeer other = new FoundPeer();
  private final TransferEngine engine =
      fake(
          TransferEngine.class,
          (method, arguments) ->
              switch (method) {
                case "peer" -> Mono.defer(() -> search(arguments[0]));
                case "address" ->
                    new PeerAddress("tcp", new EngineId(1, 1), new HostPort("10.0.0.1", 1));
                case "id" -> new EngineId(1, 1);
                case "onClose" -> Mono.never();
                default -> null;
              });
  private Disposable subscription;

  private Mono<Peer> search(Object at) {
    if (at.equals(B)) {
      dialsOfB.incrementAndGet();
      return Mono.error(new PeerUnreachableException("nobody is at B"));
    }
    dials.incrementAndGet();
    return there.get();
  }

  private static <T> T fake(Class<T> type, BiFunction<String, Object[], Object> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "equals" -> proxy == arguments[0];
                  case "hashCode" -> System.identityHashCode(proxy);
                  case "toString" -> type.getSimpleName();
                  default -> answer.apply(method.getName(), arguments);
                }));
  }

  @BeforeEach
  void begin() {
    there.set(Mono.just(first.peer));
    subscription = NodePeers.of(engine, source::changes, node -> true).subscribe(last::set);
    source.sink().exists(Node.of("a", "prefill", AT));
  }

  @AfterEach
  void end() {
    subscription.dispose();
    assertThat(first.states.currentSubscriberCount()).isZero();
    assertThat(other.states.currentSubscriberCount()).isZero();
  }

  private NodePeer node() {
    return last.get().getFirst();
  }

  private void awaitDials(int count) {
    await().atMost(PATIENCE).until(() -> dials.get() >= count);
  }

  @Test
  void oneThatIsFoundCanBeTalkedWith() {
    assertThat(node().state()).isEqualTo(State.ALIVE);
    assertThat(node().peer()).isSameAs(first.peer);
    assertThat(dials).hasValue(1);
  }

  /** A network that was cut, or a process that stood still: it is the same one. */
  @Test
  void oneThatWasLostAndIsHeardAgainIsAlive() {
    first.says(LOST);
    assertThat(node()).isEqualTo(new NodePeer(node().node(), State.LOST, first.peer, LOST.cause()));
    awaitDials(3); // it can be dialled, but nothing is heard of it yet
    assertThat(node().state()).isEqualTo(State.LOST);
    first.says(new PeerState.Alive());
    assertThat(node().state()).isEqualTo(State.ALIVE);
    assertThat(node().cause()).isNull();
  }

  @Test
  void anotherOneAtItsAddressTakesItsPlace() {
    there.set(Mono.error(new PeerUnreachableException("refused")));
    first.says(LOST);
    awaitDials(2);
    assertThat(node().cause()).as("the first that is known").isSameAs(LOST.cause());
    there.set(Mono.just(other.peer));
    await().atMost(PATIENCE).until(() -> node().state() == State.ALIVE);
    assertThat(node().peer()).isSameAs(other.peer);
    assertThat(first.states.currentSubscriberCount()).isZero();
    first.says(new PeerState.Lost(new PeerUnreachableException("long ago")));
    assertThat(node().state()).isEqualTo(State.ALIVE);
  }

  @Test
  void oneThatIsAliveIsNotDialled() {
    first.says(LOST);
    first.says(new PeerState.Alive());
    first.says(new PeerState.Unknown());
    int before = dials.get(); // one more, if this thread has stood still behind the loss
    source.sink().exists(Node.of("b", "prefill", B));
    await().atMost(PATIENCE).until(() -> dialsOfB.get() >= 3); // 0.5 s and 1 s after each other
    assertThat(dials).hasValue(before);
    assertThat(node().state()).isEqualTo(State.ALIVE);
  }
}
