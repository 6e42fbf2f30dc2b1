package io.reactivetransfer;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The secret of a cluster, and how it is renewed while engines are open. Whoever meets another
 * engine from then on proves what is valid at that moment; what has been proved before stays, as do
 * the sessions that stand on it: to end those, close the engine.
 *
 * <p>So that engines never refuse each other, renew in two rounds: first {@code renew(next,
 * current)} on every engine, in any order; when all have it, {@code renew(next, null)} on each.
 *
 * <p>One object may serve several engines. From any thread; nothing blocks.
 */
public final class ClusterSecrets {

  private volatile List<ClusterSecret> valid;

  private ClusterSecrets(List<ClusterSecret> valid) {
    this.valid = valid;
  }

  /** With this one, until it is renewed. */
  public static ClusterSecrets of(ClusterSecret current) {
    return new ClusterSecrets(both(current, null));
  }

  /** With two that are both valid, until they are renewed. */
  public static ClusterSecrets of(ClusterSecret current, ClusterSecret previous) {
    return new ClusterSecrets(both(current, Objects.requireNonNull(previous, "previous")));
  }

  /**
   * From now on these are valid, and no other.
   *
   * @param current the one that is proved first
   * @param previous one that is valid, too, for those who do not have the current one yet; null for
   *     none
   */
  public void renew(ClusterSecret current, @Nullable ClusterSecret previous) {
    valid = both(current, previous);
  }

  private static List<ClusterSecret> both(ClusterSecret current, @Nullable ClusterSecret previous) {
    Objects.requireNonNull(current, "current");
    return previous == null ? List.of(current) : List.of(current, previous);
  }

  /**
   * What is valid now, the current one first: one, or two; the same list until they are renewed.
   * For authors of backends.
   */
  public List<ClusterSecret> valid() {
    return valid;
  }

  /** Says nothing of them. */
  @Override
  public String toString() {
    return "ClusterSecrets[hidden]";
  }
}
