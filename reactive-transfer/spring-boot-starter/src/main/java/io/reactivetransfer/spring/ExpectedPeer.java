package io.reactivetransfer.spring;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.TransferEngine;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/**
 * Looks after the engine at one host and port: asks it for signs of life, and looks anew for
 * whoever is there now when it was lost or could not be reached.
 */
final class ExpectedPeer {

  /** Between two looks for one that is not there. */
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final HostPort at;
  private volatile @Nullable String trouble = "it was not reached yet";

  ExpectedPeer(HostPort at) {
    this.at = at;
  }

  /** Looks after it until the engine closes, or this is disposed of. */
  Disposable watch(TransferEngine engine) {
    return Mono.defer(() -> engine.peer(at))
        .flatMapMany(Peer::state)
        .doOnNext(this::heard)
        .takeUntil(state -> state.lossCause() != null)
        .then()
        .onErrorResume(failure -> {
          trouble = String.valueOf(failure.getMessage());
          return Mono.empty();
        })
        .repeatWhen(ends -> ends.delayElements(INTERVAL))
        .takeUntilOther(engine.onClose().onErrorComplete())
        .subscribe();
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
