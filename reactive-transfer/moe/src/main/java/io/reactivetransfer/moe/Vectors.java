package io.reactivetransfer.moe;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Whether sums are taken by the JVM's vectors: if whoever started it has given {@code
 * --add-modules=jdk.incubator.vector}, and they are faster here. Where the second compiler has not
 * compiled what uses them yet, they are objects, and a thousand times slower. So a thread that
 * lives for some seconds computes with them, now and then, until they are not.
 */
final class Vectors {

  private static final Logger LOG = Loggers.getLogger(Vectors.class);

  static final String PROPERTY = "reactivetransfer.vectors";

  private static final String MODULE = "jdk.incubator.vector";

  /** A compiler that has much to do is waited for, some 20 seconds at least. */
  private static final int MOST_ROUNDS = 2_000;

  private static final long PAUSE_NANOS = 10_000_000;

  /** How often in a row vectors have to be faster, and by what: noise is not. */
  private static final int IN_A_ROW = 20;

  private static final double FASTER = 0.8;
  private static final int TOP_K = 8;

  /** Not so many that vectors are enough, or the rest would not be compiled. */
  private static final int NUMBERS = 2_047;

  private static final AtomicBoolean BEGUN = new AtomicBoolean();
  private static volatile boolean areFast;

  private Vectors() {}

  /** Whether sums are to be taken with them from now on. */
  static boolean areFast() {
    return areFast;
  }

  /**
   * Has them compiled, once in a JVM.
   *
   * @return false if they are not there, and never will be
   */
  static boolean warmUp() {
    if (!areThere()) {
      return false;
    }
    if (BEGUN.compareAndSet(false, true)) {
      begin();
    }
    return true;
  }

  /** Whatever prevents it, sums are taken without, so it is no failure of a group. */
  private static void begin() {
    try {
      Thread.ofPlatform()
          .name("reactive-transfer-moe-vectors")
          .daemon()
          .inheritInheritableThreadLocals(false)
          .start(Vectors::tryToCompare);
    } catch (RuntimeException | Error e) {
      LOG.warn("sums are taken without vectors: no thread compares both", e);
    }
  }

  private static void tryToCompare() {
    try {
      compare();
    } catch (Throwable thrown) { // such as the end of memory, or another release's vectors
      LOG.warn("sums are taken without vectors: to compare both has failed", thrown);
    }
  }

  /** Refuses a value of the property that nobody knows, before anything is joined. */
  static void requireKnown() {
    boolean _ = isWanted(System.getProperty(PROPERTY, "auto"));
  }

  /** Whether they may be used, fast or not. */
  static boolean areThere() {
    return System.getProperty(PROPERTY, "auto").equals("auto")
        && ModuleLayer.boot().findModule(MODULE).isPresent()
        && hasSecondCompiler(System.getProperty("java.vm.info", ""));
  }

  /** What the property says. */
  static boolean isWanted(String value) {
    return switch (value) {
      case "auto" -> true;
      case "off" -> false;
      default ->
          throw new IllegalArgumentException(
              "expected auto or off for " + PROPERTY + ", got '" + value + "'");
    };
  }

  /** HotSpot says there whether it interprets all, or has the first compiler only. */
  static boolean hasSecondCompiler(String info) {
    return !info.contains("interpreted") && !info.contains("emulated-client");
  }

  private static void compare() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment results = arena.allocate((long) TOP_K * NUMBERS * Float.BYTES, 64);
      MemorySegment sums = arena.allocate((long) NUMBERS * Float.BYTES, 64);
      Trial[] trials = {
        new Trial(FloatType.BF16, FloatType.BF16, results, sums),
        new Trial(FloatType.BF16, FloatType.FP32, results, sums),
        new Trial(FloatType.FP32, FloatType.FP32, results, sums)
      };
      int inARow = 0;
      for (int round = 0; inARow < IN_A_ROW; round++) {
        boolean isFaster = true;
        for (Trial trial : trials) {
          isFaster &= trial.isFaster();
        }
        inARow = isFaster ? inARow + 1 : 0;
        if (!isFaster) {
          if (round > MOST_ROUNDS) {
            return;
          }
          LockSupport.parkNanos(PAUSE_NANOS);
        }
      }
    }
    areFast = true;
  }

  /** A sum of each kind in both ways. */
  private static final class Trial {
    private final TokenSums vectors;
    private final TokenSums plain;
    private final MemorySegment results;
    private final MemorySegment sums;

    Trial(FloatType from, FloatType to, MemorySegment results, MemorySegment sums) {
      vectors = VectorSums.of(from, to, TOP_K);
      plain = new ArraySums(from, to, TOP_K, NUMBERS);
      this.results = results;
      this.sums = sums;
      for (int k = 0; k < TOP_K; k++) {
        vectors.result(k, (long) k * NUMBERS * from.bytes(), 1);
        plain.result(k, (long) k * NUMBERS * from.bytes(), 1);
      }
    }

    boolean isFaster() {
      long begun = System.nanoTime();
      plain.sum(results, NUMBERS, sums, 0);
      long between = System.nanoTime();
      vectors.sum(results, NUMBERS, sums, 0);
      return System.nanoTime() - between < FASTER * (between - begun);
    }
  }
}
