package io.reactivetransfer.kvcache;

import io.reactivetransfer.Peer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Puts the blame for the end of a hand-over on another node. */
public final class Blame {

  private Blame() {}

  /** The same, and it names nobody. */
  public static HandOverException withoutName(HandOverException failure) {
    return on(Objects.requireNonNull(failure.peer()), null, failure);
  }

  /** The same, and it names this one. */
  public static HandOverException on(Peer other, @Nullable String name, HandOverException failure) {
    return new HandOverException(
        failure.reason(),
        new HandOverException.Node("prefill", other, name),
        failure.requestId(),
        "it was not me");
  }
}
