package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FailingVerbs;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.tck.driver.Recorder;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two NICs that write to each other while whatever can happen to connections does, and what they
 * say comes late: when nothing fails any more, they are connected, with no more queue pairs than
 * that takes.
 */
class SetUpStormTest {

  private static final String SEED = "reactivetransfer.ibverbs.seed";
  private static final int SEEDS = 2 * Integer.getInteger("reactivetransfer.rounds", 1);
  private static final int ROUNDS = 20;
  private static final int STEPS = 100;
  private static final int LENGTH = 100;
  private static final int QUEUE_PAIRS = 4;

  /** Those that are tried, or the one that failed and is tried alone. */
  static LongStream seeds() {
    Long only = Long.getLong(SEED);
    return only == null ? LongStream.rangeClosed(1, SEEDS) : LongStream.of(only);
  }

  private final FakeVerbs fake = new FakeVerbs(2);
  private final FailingVerbs failing = new FailingVerbs(fake, 0);

  /** Whoever waits for what never comes waits for longer than the test does. */
  private final TwoNics nics = FakeNics.open(fake, failing.calls(), Duration.ofMinutes(2));

  private Random random;
  private Operation there;
  private Operation back;
  private int lastToken;

  /** How many were told by when nothing fails any more; each makes up for one that is posted. */
  private long losses;

  private boolean isOneIn(int times) {
    return random.nextInt(times) == 0;
  }

  private void step() {
    if (isOneIn(3)) {
      post(there, true);
    }
    if (isOneIn(3)) {
      post(back, false);
    }
    nics.poll(random.nextBoolean());
    if (isOneIn(4)) {
      nics.deliverOne(random.nextBoolean());
    }
    if (isOneIn(50)) {
      String[] calls = {"ibv_create_qp", "ibv_modify_qp", "ibv_destroy_qp", "ibv_post_send"};
      failing.always(random.nextBoolean() ? null : calls[random.nextInt(calls.length)]);
    }
    if (isOneIn(40)) {
      fake.failQueuePairs(random.nextInt(2));
    }
    if (isOneIn(40)) {
      nics.giveUp(random.nextBoolean());
    }
    if (isOneIn(90)) {
      nics.loseSession();
    }
    if (isOneIn(80)) {
      fake.link(random.nextInt(2), random.nextBoolean());
    }
  }

  private boolean post(Operation op, boolean isThere) {
    int token = ++lastToken;
    return nics.post(isThere, op.token(token).withImm(token));
  }

  /** The first ones may still be lost with what has failed before. */
  private void untilOneArrives(String which, boolean isThere) {
    int last = lastToken;
    Recorder sink = isThere ? nics.atTarget() : nics.atOrigin();
    nics.until(
        "one to arrive " + (isThere ? "there " : "back ") + which,
        () -> {
          if (reported().size() == nics.taken().size()) { // else one is on its way
            boolean ignored = post(isThere ? there : back, isThere);
          }
          return sink.lastImm() > last;
        });
  }

  /**
   * A failure of before may be seen only now, and then nobody connects unless something is posted.
   */
  private boolean isEachConnectedOnce() {
    if (fake.queuePairs() < QUEUE_PAIRS && losses() > losses) {
      losses = losses();
      boolean ignored = post(there, true) | post(back, false);
    }
    return fake.queuePairs() == QUEUE_PAIRS;
  }

  private long losses() {
    return nics.atOrigin().count("lost") + nics.atTarget().count("lost");
  }

  /** The tokens of the writes that were reported, in ascending order, each as often as it was. */
  private List<Long> reported() {
    return Stream.of(nics.atOrigin(), nics.atTarget())
        .flatMap(each -> each.reports().stream())
        .filter(each -> each.matches("(written|failed|refused) \\d+"))
        .map(each -> Long.valueOf(each.substring(each.indexOf(' ') + 1)))
        .sorted()
        .toList();
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  @Timeout(120)
  void endsWithBothConnected(long seed) {
    random = new Random(seed);
    try (Arena arena = Arena.ofShared()) {
      there =
          new Operation()
              .between(
                  nics.source(arena.allocate(LENGTH)),
                  nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH))
              .range(0, 0, LENGTH);
      back =
          new Operation()
              .between(
                  nics.sourceAtTarget(arena.allocate(LENGTH)),
                  nics.openToTarget(arena.allocate(LENGTH)))
              .range(0, 0, LENGTH);
      String which = "with -D" + SEED + "=" + seed;
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < STEPS; i++) {
          step();
        }
        failing.always(null);
        losses = losses();
        fake.link(0, true);
        fake.link(1, true);
        untilOneArrives(which, true);
        untilOneArrives(which, false);
        nics.until("the others to be gone " + which, this::isEachConnectedOnce);
      }
      nics.until("the last reports " + which, () -> reported().size() >= nics.taken().size());
      assertThat(reported()).as("reported %s", which).containsExactlyElementsOf(nics.taken());
      assertThat(nics.close()).isTrue();
    }
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }
}
