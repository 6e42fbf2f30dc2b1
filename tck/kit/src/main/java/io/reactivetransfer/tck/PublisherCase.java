package io.reactivetransfer.tck;

import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.reactivestreams.tck.TestEnvironment;

/**
 * How to get a publisher of one kind, and how many elements it can have.
 *
 * @param source makes one
 * @param failing makes one that signals an error at once, or null if there is no such thing
 * @param elements the most that it can have; {@code Long.MAX_VALUE} if it does not complete by
 *     itself
 */
record PublisherCase<T>(
    ReactiveStreamsRules.Source<T> source,
    @Nullable Function<Stage, Publisher<T>> failing,
    long elements) {

  /** How many elements an endless publisher is supplied with; no verification asks for more. */
  static final int SUPPLY = 60;

  /** For how long the verification may wait until a cancelled subscriber is collected. */
  private static final long COLLECTION_MILLIS = 500;

  static <T> PublisherCase<T> many(ReactiveStreamsRules.Source<T> source) {
    return new PublisherCase<>(source, null, Long.MAX_VALUE - 1);
  }

  static <T> PublisherCase<T> endless(Function<Stage, Publisher<T>> source) {
    return new PublisherCase<>((stage, n) -> source.apply(stage), null, Long.MAX_VALUE);
  }

  static <T> PublisherCase<T> one(Function<Stage, Publisher<T>> source) {
    return new PublisherCase<>((stage, n) -> source.apply(stage), null, 1);
  }

  static <T> PublisherCase<T> none(Function<Stage, Publisher<T>> source) {
    return new PublisherCase<>((stage, n) -> source.apply(stage), null, 0);
  }

  PublisherCase<T> failing(Function<Stage, Publisher<T>> publisher) {
    return new PublisherCase<>(source, publisher, elements);
  }

  PublisherVerification<T> on(Stage stage) {
    long signal = stage.patience().signal().toMillis();
    // Each of several hundred tests watches for silence, so theirs is shorter than that of a rule.
    long silence = Math.max(10, stage.patience().silence().toMillis() / 4);
    TestEnvironment environment = new TestEnvironment(signal, silence, silence);
    return new PublisherVerification<>(environment, COLLECTION_MILLIS) {
      @Override
      public Publisher<T> createPublisher(long n) {
        return source.create(stage, n);
      }

      @Override
      public @Nullable Publisher<T> createFailedPublisher() {
        return failing == null ? null : failing.apply(stage);
      }

      @Override
      public long maxElementsFromPublisher() {
        return elements;
      }
    };
  }
}
