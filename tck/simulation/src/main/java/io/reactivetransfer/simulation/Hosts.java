package io.reactivetransfer.simulation;

import io.reactivetransfer.simulation.network.SimulatedNetwork;
import io.reactivetransfer.simulation.network.VirtualTime;
import java.util.List;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * The processes of one run, and what they are joined by: all that {@link Faults} needs.
 *
 * @param <H> a process of this run
 */
public interface Hosts<H extends Host> {

  /** All that were ever started. */
  List<H> nodes();

  /** What joins them. */
  SimulatedNetwork network();

  /** The time of all. */
  VirtualTime time();

  /** The engines' liveness deadline. */
  long livenessNanos();

  /** One was killed: another one takes its place, or none does. */
  void replace(H killed, SplittableRandom random);

  /** An engine that is open and was not told to close, or null. */
  default @Nullable H pickUp(SplittableRandom random) {
    return pick(nodes().stream().filter(Host::isUp).toList(), random);
  }

  /** Another engine than this one, in whatever state; null if there is none. */
  default @Nullable H pickOther(Host than, SplittableRandom random) {
    return pick(
        nodes().stream().filter(node -> !node.equals(than) && node.engine() != null).toList(),
        random);
  }

  /** One of these, or null if there is none. */
  static <T> @Nullable T pick(List<T> from, SplittableRandom random) {
    return from.isEmpty() ? null : from.get(random.nextInt(from.size()));
  }
}
