package io.reactivetransfer.membership;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.membership.NodePeer.State;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/**
 * One node at one address. Its engine is dialled until it is found, then watched; when it is lost
 * it is dialled again, since another one may be there, and watched on, since the same one may be
 * heard again. There is one dial at a time.
 */
final class WatchedNode implements Disposable {

  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final int MOST_DOUBLINGS = 4;

  /** Pauses are up to a quarter longer, so that those who lost a node together do not return so. */
  private static final int JITTER = 4;

  private final TransferEngine engine;
  private final NodeWatch watch;
  private final HostPort at;
  private final Disposable.Swap dialling = Disposables.swap();
  private final Disposable.Swap watching = Disposables.swap();

  /** Guarded by the watch, like all that follows. */
  private Node node;

  private State state = State.SOUGHT;
  private @Nullable Peer peer;
  private @Nullable Throwable cause;
  private int dials;
  private boolean over;

  WatchedNode(TransferEngine engine, Node node, NodeWatch watch) {
    this.engine = engine;
    this.node = node;
    this.at = node.address();
    this.watch = watch;
  }

  HostPort at() {
    return at;
  }

  /** It has other labels or another role. */
  void becomes(Node other) {
    node = other;
  }

  NodePeer known() {
    return new NodePeer(node, state, peer, cause);
  }

  void start() {
    if (at.equals(engine.address().control())) {
      own();
    } else {
      dial(engine.peer(at));
    }
  }

  private void dial(Mono<Peer> search) {
    Dial dial = new Dial();
    dialling.update(dial); // before it begins: what it ends with may begin the next one at once
    search.materialize().subscribe(dial);
  }

  /** An error that comes at the moment of a cancel is dropped in silence, since it is a signal. */
  private final class Dial extends BaseSubscriber<Signal<Peer>> {

    @Override
    protected void hookOnNext(Signal<Peer> signal) {
      Peer found = signal.get();
      Throwable reason = signal.getThrowable();
      if (found != null) {
        found(found);
      } else if (reason != null) {
        notFound(reason);
      }
    }
  }

  private void dialLater() {
    int doublings;
    synchronized (watch) {
      doublings = Math.min(dials++, MOST_DOUBLINGS);
    }
    long millis = FIRST_PAUSE.toMillis() << doublings;
    long jitter = ThreadLocalRandom.current().nextLong(millis / JITTER);
    Duration pause = Duration.ofMillis(millis + jitter);
    dial(Mono.defer(() -> isLost() ? engine.peer(at) : Mono.empty()).delaySubscription(pause));
  }

  /** Else it was heard again meanwhile. */
  private boolean isLost() {
    synchronized (watch) {
      return state == State.LOST;
    }
  }

  private void own() {
    synchronized (watch) {
      state = State.OWN;
      peer = null;
      cause = null;
    }
    watching.dispose();
    watch.changed();
  }

  /** Somebody is there, who may be the one that was lost, and is not heard yet. */
  private void found(Peer found) {
    boolean isNew;
    boolean isLost;
    synchronized (watch) {
      if (over) {
        return;
      }
      isNew = !found.equals(peer);
      if (isNew) {
        peer = found;
        cause = found.present().lossCause(); // of one that was known, and is not heard again yet
        state = cause == null ? State.ALIVE : State.LOST;
        dials = 0;
      }
      isLost = state == State.LOST;
    }
    if (isNew) {
      Disposable.Swap states = Disposables.swap();
      watching.update(states);
      states.update(found.state().subscribe(told -> told(found, told)));
      watch.changed();
    } else if (isLost) {
      dialLater();
    }
  }

  private void told(Peer whose, PeerState told) {
    Throwable loss = told.lossCause();
    synchronized (watch) {
      if (over || !whose.equals(peer) || (loss == null && !(told instanceof PeerState.Alive))) {
        return;
      }
      state = loss == null ? State.ALIVE : State.LOST;
      cause = loss;
      if (loss == null) {
        dials = 0;
      }
    }
    watch.changed();
    if (loss != null) {
      dialLater();
    }
  }

  private void notFound(Throwable reason) {
    if (reason instanceof TransferException known && engine.id().equals(known.peer())) {
      own(); // by another name of this host
      return;
    }
    boolean isNews;
    synchronized (watch) {
      if (over || state == State.ALIVE) {
        return;
      }
      isNews = state != State.LOST;
      state = State.LOST;
      cause = reason;
    }
    if (isNews) {
      watch.changed();
    }
    dialLater();
  }

  @Override
  public void dispose() {
    synchronized (watch) {
      over = true;
    }
    dialling.dispose();
    watching.dispose();
  }
}
