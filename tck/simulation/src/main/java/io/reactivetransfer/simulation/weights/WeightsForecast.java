package io.reactivetransfer.simulation.weights;

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
 * @param controllers how many there are
 * @param twoBuffers whether ranks have two, and updates need not be in place
 * @param begun whether ranks serve a version from the start
 * @param checksums whether ranks compare them
 * @param inTurn whether mesh groups take turns
 * @param calm whether nothing goes wrong but what prepares: then every update flips
 * @param replicas whether there are several ranks, and all have the same: then they can fill each
 *     other
 * @param eager whether what has failed is tried again at once
 * @param acts how many acts
 * @param horizonNanos within what time they come
 * @param livenessNanos the engines' liveness deadline
 */
record WeightsForecast(
    Weather weather,
    int controllers,
    boolean twoBuffers,
    boolean begun,
    boolean checksums,
    boolean inTurn,
    boolean calm,
    boolean replicas,
    boolean eager,
    int acts,
    long horizonNanos,
    long livenessNanos) {

  private static final long MILLI = 1_000_000;
  private static final long CONNECT_NANOS = 10 * MILLI;
  private static final long MIN_LIVENESS_NANOS = 24 * MILLI;

  /** Each so many seeds, one has replicas: it is not drawn, so that no other seed changes. */
  private static final int REPLICAS_EACH = 8;

  static WeightsForecast of(long seed, SplittableRandom random) {
    boolean calm = random.nextInt(4) == 0;
    boolean rough = !calm && random.nextBoolean();
    return new WeightsForecast(
        weather(calm, rough, random),
        random.nextInt(1, 3),
        random.nextInt(4) > 0,
        random.nextInt(3) > 0,
        random.nextInt(3) == 0,
        random.nextInt(6) == 0,
        calm,
        Math.floorMod(seed, REPLICAS_EACH) == 1,
        !calm && random.nextBoolean(),
        random.nextInt(4, 28),
        random.nextLong(MILLI / 2, 8 * MILLI),
        random.nextLong(MIN_LIVENESS_NANOS, 60 * MILLI));
  }

  private static Weather weather(boolean calm, boolean rough, SplittableRandom random) {
    long latency = random.nextLong(100, 20_000);
    boolean sourceFree = random.nextInt(4) == 0; // then a tensor must not be many writes
    boolean split = !sourceFree && random.nextBoolean();
    int rows = random.nextBoolean() ? 1 : random.nextInt(2, 16);
    return new Weather(
        new Span(latency / 10, latency),
        new Span(10, random.nextLong(20, 2_000)),
        new Span(100, 50_000),
        new Span(100, random.nextBoolean() ? 10_000 : MILLI),
        1_000 * MILLI,
        rough ? random.nextInt(60) : 0,
        rough && random.nextInt(3) == 0 ? random.nextInt(6) : 0, // an update is many writes
        random.nextInt(500),
        rough ? random.nextInt(20) : 0,
        !calm && random.nextInt(3) == 0 ? 500 : 0,
        0,
        random.nextBoolean(),
        sourceFree,
        split ? random.nextInt(16, 64) : 1 << 20,
        1 << random.nextInt(7),
        sourceFree ? 16 : rows,
        random.nextInt(3) > 0);
  }

  /** How long a process may stand still, and nobody may give it up for that. */
  long patienceNanos() {
    return Math.min(livenessNanos, CONNECT_NANOS) / 2;
  }

  /** How late something may come, with all that the weather puts in its way. */
  long slackNanos() {
    return 20 * MILLI;
  }

  /** The options of one engine. */
  EngineOptions options(Scheduler signals, SplittableRandom random) {
    return EngineOptions.builder()
        .nics(1 + random.nextInt(random.nextBoolean() ? 1 : 4))
        .window(1 << random.nextInt(5))
        .nicDepth(1 + random.nextInt(32))
        .peerDepth(1 + random.nextInt(64))
        .minPieceBytes(1 + random.nextInt(64))
        .maxMessageBytes(8_192)
        .messageCredits(1 + random.nextInt(4))
        .livenessDeadline(Duration.ofNanos(livenessNanos))
        .connectTimeout(Duration.ofNanos(CONNECT_NANOS))
        .revocationGrace(Duration.ofNanos(random.nextLong(6 * MILLI)))
        .closeTimeout(Duration.ofNanos(random.nextLong(MILLI / 10, 30 * MILLI)))
        .signalScheduler(signals)
        .build();
  }
}
