package io.reactivetransfer.simulation;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.simulation.network.Span;
import io.reactivetransfer.simulation.network.Weather;
import java.time.Duration;
import java.util.SplittableRandom;
import reactor.core.scheduler.Scheduler;

/**
 * What kind of run it will be.
 *
 * @param weather what the network does
 * @param engines how many there are at first
 * @param acts how many acts
 * @param horizonNanos within what time they come
 * @param livenessNanos the engines' liveness deadline
 * @param deadlineNanos the engines' transfer deadline
 * @param overflows whether the tables of unclaimed immediates are too small
 * @param crowded whether so few subscriptions are allowed that some are refused
 * @param longMessages whether there are messages that have to be cut
 */
record Forecast(
    Weather weather,
    int engines,
    int acts,
    long horizonNanos,
    long livenessNanos,
    long deadlineNanos,
    boolean overflows,
    boolean crowded,
    boolean longMessages) {

  private static final long MILLI = 1_000_000;
  private static final long CONNECT_NANOS = 10 * MILLI;

  /**
   * When all is slow, a control channel may refuse for 5 ms, and so may that of the one who
   * answers; each of the four ways of a dial, a question and its answer takes 2 ms.
   */
  private static final long MIN_LIVENESS_NANOS = 24 * MILLI;

  private static final long MAX_GRACE_NANOS = 6 * MILLI;

  private static final int MIN_ENGINES = 2;

  /** Engines of a run: few in most, eight in some. */
  private static final int[] MORE_ENGINES = {0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3, 4, 6};

  static Forecast of(SplittableRandom random) {
    boolean rough = random.nextInt(3) > 0;
    long latency = random.nextLong(100, 20_000);
    int maxRows = random.nextBoolean() ? 1 : random.nextInt(2, 16);
    Weather weather =
        new Weather(
            new Span(latency / 10, latency),
            new Span(10, random.nextLong(20, 2_000)),
            new Span(100, 50_000),
            new Span(100, random.nextBoolean() ? 10_000 : MILLI),
            1_000 * MILLI,
            rough ? random.nextInt(60) : 0,
            rough && random.nextBoolean() ? random.nextInt(80) : 0,
            random.nextInt(500),
            rough ? random.nextInt(20) : 0,
            random.nextInt(3) == 0 ? 500 : 0,
            random.nextInt(25) == 0 ? 50 : 0,
            random.nextBoolean(),
            random.nextInt(6) == 0,
            random.nextBoolean() ? random.nextInt(16, 256) : 1 << 20,
            1 << random.nextInt(7),
            maxRows,
            random.nextBoolean() ? maxRows : 1 + random.nextInt(maxRows),
            true);
    return new Forecast(
        weather,
        MIN_ENGINES + MORE_ENGINES[random.nextInt(MORE_ENGINES.length)],
        random.nextInt(4, 48),
        random.nextLong(50_000, 3 * MILLI),
        random.nextLong(MIN_LIVENESS_NANOS, 40 * MILLI),
        random.nextInt(4) == 0 ? random.nextLong(MILLI, 8 * MILLI) : 60 * MILLI,
        random.nextInt(20) == 0,
        random.nextInt(20) == 0,
        random.nextInt(6) == 0);
  }

  /**
   * How long an engine may stand still, and nobody may give up anybody for it. The other half of a
   * deadline is for what the weather takes.
   */
  long patienceNanos() {
    return Math.min(livenessNanos, CONNECT_NANOS) / 2;
  }

  /** The options of one engine. */
  EngineOptions options(Scheduler signals, SplittableRandom random) {
    return EngineOptions.builder()
        .nics(1 + random.nextInt(random.nextBoolean() ? 1 : 4))
        .window(1 << random.nextInt(5))
        .nicDepth(1 + random.nextInt(32))
        .peerDepth(1 + random.nextInt(64))
        .maxSubmissions(crowded ? 6 : 1 << 10)
        .minPieceBytes(1 + random.nextInt(256))
        .maxUnclaimedImms(overflows ? 3 : 1 << 10)
        .maxMessageBytes(longMessages ? 40_000 : 64)
        .messageCredits(1 + random.nextInt(4))
        .livenessDeadline(Duration.ofNanos(livenessNanos))
        .transferDeadline(Duration.ofNanos(deadlineNanos))
        .connectTimeout(Duration.ofNanos(CONNECT_NANOS))
        .revocationGrace(
            Duration.ofNanos(random.nextInt(4) == 0 ? 0 : random.nextLong(MAX_GRACE_NANOS)))
        .closeTimeout(Duration.ofNanos(random.nextLong(MILLI / 10, 30 * MILLI)))
        .signalScheduler(signals)
        .build();
  }
}
