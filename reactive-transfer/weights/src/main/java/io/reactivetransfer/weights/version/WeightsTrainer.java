package io.reactivetransfer.weights.version;

import java.util.Objects;
import org.reactivestreams.Publisher;

/**
 * Writes its part of the weights to inference ranks; implemented by the application, which carries
 * the order to wherever the trainer is.
 */
@FunctionalInterface
public interface WeightsTrainer {

  /**
   * Writes. All trainers of an update together write {@link RankTarget#arrivals()} counted writes
   * to each rank, under its immediate.
   *
   * @return begins when it is subscribed to, which happens once; completes when all is written, and
   *     fails if it cannot be. What it emits is not looked at. It is cancelled when the update was
   *     given up; what it writes then is refused by the memory of the ranks, or changes nothing
   *     that anybody reads. Its own memory is its own matter. Called and subscribed to on any
   *     thread and must not block it; with the Context of whoever has subscribed to the update, and
   *     what a {@link VersionRecorder} of the controller adds to that
   */
  Publisher<?> write(WriteOrder order);

  /**
   * What people call it, in the reason of an update that waited for it in vain. Asked on any
   * thread; must neither block nor throw.
   */
  default String name() {
    return "a trainer";
  }

  /**
   * Whether it tells each inference rank checksums of what it writes there, which the {@code
   * Checksums} of the rank wait for. Ranks compare an update where all of its trainers say so. A
   * trainer that carries its orders to {@code TrainerService.local} elsewhere does if that one
   * does; {@code RemoteTrainers} and {@code TrainerService} answer by the {@code ChecksumScope}.
   * Asked when an update begins, on any thread; must neither block nor throw.
   */
  default boolean saysChecksums() {
    return false;
  }

  /**
   * The same trainer under a name.
   *
   * @param name what people call it
   */
  static WeightsTrainer named(String name, WeightsTrainer trainer) {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(trainer, "trainer");
    return new WeightsTrainer() {
      @Override
      public Publisher<?> write(WriteOrder order) {
        return trainer.write(order);
      }

      @Override
      public String name() {
        return name;
      }

      @Override
      public boolean saysChecksums() {
        return trainer.saysChecksums();
      }
    };
  }
}
