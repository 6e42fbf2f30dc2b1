package io.reactivetransfer.spring;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Mono;

/**
 * Looks after the engine at one host and port: asks it for signs of life, and looks anew for
 * whoever is there now when it was lost or could not be reached. The engine that looks is there
 * itself: so all nodes of a cluster can have the same list.
 */
final class ExpectedPeer {

  /** Between two looks for one that is not there. */
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final HostPort at;
  private volatile @Nullable String trouble = "it was not reached yet";
  private volatile boolean isItself;

  ExpectedPeer(HostPort at) {
    this.at = at;
  }

  /** Looks after it until the engine closes, or this is disposed of. */
  Disposable watch(TransferEngine engine) {
    if (at.equals(engine.address().control())) {
      trouble = null;
      return Disposables.disposed();
    }
    return Mono.defer(() -> engine.peer(at))
        .flatMapMany(Peer::state)
        .doOnNext(this::heard)
        .takeUntil(state -> state.lossCause() != null)
        .then()
        .onErrorResume(failure -> {
          notReached(engine, failure);
          return Mono.empty();
        })
        .repeatWhen(ends -> ends.takeWhile(_ -> !isItself).delayElements(INTERVAL))
        .takeUntilOther(engine.onClose().onErrorComplete())
        .subscribe();
  }

  /** An engine that finds itself, by another name than it has, refuses itself as a peer. */
  private void notReached(TransferEngine engine, Throwable failure) {
    isItself =
        failure instanceof PeerUnreachableException refused && engine.id().equals(refused.peer());
    trouble = isItself ? null : String.valueOf(failure.getMessage());
  }

  private void heard(PeerState state) {
    switch (state) {
      case PeerState.Alive _ -> trouble = null;
      case PeerState.Lost lost -> trouble = String.valueOf(lost.cause().getMessage());
      case PeerState.Unknown _ -> {}
    }
  }

  HostPort at() {
    return at;
  }

  /** Why it cannot be written to, or null if it was heard lately. */
  @Nullable String trouble() {
    return trouble;
  }
}
