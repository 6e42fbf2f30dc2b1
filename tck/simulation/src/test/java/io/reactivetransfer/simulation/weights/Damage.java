package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.weights.check.ChecksumException;
import io.reactivetransfer.weights.version.FilledBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * All that some updates write to a rank is damaged on the way. Sums find that, even those of a
 * sample: there is at least one piece of each trainer in it.
 */
final class Damage implements WeightsTampering {

  private static final int SOMETIMES = 4;

  private final AtomicInteger opened = new AtomicInteger();
  private final boolean findsNothing;

  /**
   * Damages.
   *
   * @param findsNothing whether ranks take sums for right that are not
   */
  Damage(boolean findsNothing) {
    this.findsNothing = findsNothing;
  }

  @Override
  public boolean damages() {
    return opened.incrementAndGet() % SOMETIMES == 0;
  }

  @Override
  public Function<FilledBuffer, Publisher<?>> verifier(Function<FilledBuffer, Publisher<?>> sound) {
    return findsNothing
        ? filled -> Flux.from(sound.apply(filled)).onErrorComplete(ChecksumException.class)
        : sound;
  }
}
