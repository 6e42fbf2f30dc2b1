package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.kvcache.KvCacheOptions;
import io.reactivetransfer.simulation.network.Span;
import io.reactivetransfer.simulation.network.Weather;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import reactor.core.scheduler.Scheduler;

/**
 * What kind of run it will be.
 *
 * @param weather what the network does
 * @param models what is handed over; nodes have a role of each
 * @param replicas how many nodes have each rank of the prefill side
 * @param decodes how many nodes have the decode side alone
 * @param both whether prefill nodes decode, too
 * @param calm whether nothing goes wrong: then every order arrives that nobody ends
 * @param acts how many acts
 * @param horizonNanos within what time they come
 * @param livenessNanos the engines' liveness deadline
 * @param maxDeadlineNanos the longest time that a prefill node gives to a request
 * @param maxWaitingBytes while requests of so many bytes wait at a prefill node it reads no more
 * @param routed whether some orders are made by routers
 */
record KvForecast(
    Weather weather,
    List<KvShape> models,
    int replicas,
    int decodes,
    boolean both,
    boolean calm,
    int acts,
    long horizonNanos,
    long livenessNanos,
    long maxDeadlineNanos,
    long maxWaitingBytes,
    boolean routed) {

  private static final long MILLI = 1_000_000;
  private static final long LONGEST = 600_000 * MILLI;
  private static final long CONNECT_NANOS = 10 * MILLI;
  private static final long MIN_LIVENESS_NANOS = 24 * MILLI;

  static KvForecast of(SplittableRandom random) {
    boolean calm = random.nextInt(4) == 0;
    boolean rough = !calm && random.nextBoolean();
    List<KvShape> models = new ArrayList<>();
    models.add(KvShape.draw(random));
    if (random.nextInt(4) == 0) {
      models.add(KvShape.draw(random));
    }
    boolean both = random.nextInt(3) == 0;
    return new KvForecast(
        weather(calm, rough, random),
        models,
        1 + random.nextInt(2),
        both ? random.nextInt(2) : 1 + random.nextInt(2),
        both,
        calm,
        random.nextInt(4, 32),
        random.nextLong(50_000, 4 * MILLI),
        random.nextLong(MIN_LIVENESS_NANOS, 40 * MILLI),
        calm || random.nextInt(3) > 0 ? LONGEST : random.nextLong(10, 100) * MILLI,
        random.nextBoolean() ? 1L << 20 : random.nextLong(1, 3_000),
        random.nextInt(3) == 0);
  }

  private static Weather weather(boolean calm, boolean rough, SplittableRandom random) {
    long latency = random.nextLong(100, 20_000);
    boolean sourceFree = random.nextInt(4) == 0; // then a page must not be many writes
    boolean split = !sourceFree && random.nextBoolean();
    int rows = random.nextBoolean() ? 1 : random.nextInt(2, 16);
    return new Weather(
        new Span(latency / 10, latency),
        new Span(10, random.nextLong(20, 2_000)),
        new Span(100, 50_000),
        new Span(100, random.nextBoolean() ? 10_000 : MILLI),
        1_000 * MILLI,
        rough ? random.nextInt(60) : 0,
        rough && random.nextInt(3) == 0 ? random.nextInt(30) : 0,
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

  /** What nodes grant to others, by this clock. */
  KvCacheOptions.Builder grants(Scheduler timers) {
    return KvCacheOptions.builder()
        .maxDeadline(Duration.ofNanos(maxDeadlineNanos))
        .maxWaitingBytes(maxWaitingBytes)
        .timers(timers);
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
