package io.reactivetransfer.weights.kernel;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Whether code that is written with the Vector API is used in the place of plain loops. It needs
 * the module {@code jdk.incubator.vector}, and the second compiler: what that has not compiled is a
 * thousand times slower than plain loops, and allocates. So the first use starts a thread that runs
 * both ways in turn until vectors are the faster ones, and ends after some seconds if they are not.
 */
final class Vectors {

  private static final Logger LOG = Loggers.getLogger(Vectors.class);

  private static final String PROPERTY = "reactivetransfer.vectors";
  private static final String MODULE = "jdk.incubator.vector";

  /** As often in a row vectors are faster before they are used. */
  private static final int TIMES = 20;

  /** Processor time of the thread, in ns, after which plain loops stay. */
  private static final long LIMIT = 3_000_000_000L;

  /** Comparisons after which plain loops stay, whatever clocks say. */
  private static final long MOST_ROUNDS = 50_000;

  /** Between two comparisons, in ns. */
  private static final long PAUSE = 200_000;

  private final Supplier<Runnable> plain;
  private final Supplier<@Nullable Runnable> vectors;
  private final AtomicBoolean hasBegun = new AtomicBoolean();
  private final long limit;
  private volatile boolean areFaster;

  /**
   * Decides on its first use.
   *
   * @param plain makes what runs each plain loop for some microseconds
   * @param vectors makes what does the same with vectors, or null if this machine's do not suit;
   *     called only where the module is there
   */
  Vectors(Supplier<Runnable> plain, Supplier<@Nullable Runnable> vectors) {
    this(plain, vectors, LIMIT);
  }

  /** The same with another limit, in ns. */
  Vectors(Supplier<Runnable> plain, Supplier<@Nullable Runnable> vectors, long limit) {
    this.plain = plain;
    this.vectors = vectors;
    this.limit = limit;
  }

  /** Whether vectors are used from now on; begins to find out. */
  boolean areUsed() {
    if (!hasBegun.get()) {
      String machine = System.getProperty("java.vm.info");
      boolean arePossible = arePossible(System.getProperty(PROPERTY), machine);
      if (hasBegun.compareAndSet(false, true) && arePossible) {
        begin();
      }
    }
    return areFaster;
  }

  /** Whatever prevents it, plain loops do the same, so it is no failure of who prepares. */
  private void begin() {
    try {
      Thread.ofPlatform()
          .name("reactive-transfer-vectors")
          .daemon()
          .inheritInheritableThreadLocals(false)
          .start(this::tryToCompare);
    } catch (RuntimeException | Error e) {
      LOG.warn("plain loops stay: no thread compares them with vectors", e);
    }
  }

  /** The same as {@link #compare}, and fails never. */
  void tryToCompare() {
    try {
      compare();
    } catch (Throwable thrown) { // such as the end of memory, or another release's vectors
      LOG.warn("plain loops stay: comparing them with vectors has failed", thrown);
    }
  }

  /** Whether they have been faster. */
  boolean areFaster() {
    return areFaster;
  }

  /**
   * Whether they are worth a try.
   *
   * @param wanted the value of the property
   * @param machine how the virtual machine describes its compilers
   */
  static boolean arePossible(@Nullable String wanted, @Nullable String machine) {
    if (wanted != null && !wanted.equals("auto") && !wanted.equals("off")) {
      throw new IllegalArgumentException(
          "expected auto or off for " + PROPERTY + ", got '" + wanted + "'");
    }
    boolean isCompiledOnce =
        machine != null && (machine.contains("emulated-client") || machine.contains("interpreted"));
    return !"off".equals(wanted)
        && !isCompiledOnce
        && ModuleLayer.boot().findModule(MODULE).isPresent();
  }

  /** Runs both until it is decided, on this thread. */
  void compare() {
    Runnable byVectors = vectors.get();
    if (byVectors == null) {
      return;
    }
    Runnable byLoops = plain.get();
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    int times = 0;
    long now = threads.getCurrentThreadCpuTime();
    long end = now + limit;
    // Below 0 where somebody has switched the times of threads off.
    for (long round = 0; times < TIMES && now >= 0 && now < end && round < MOST_ROUNDS; round++) {
      byLoops.run();
      long between = threads.getCurrentThreadCpuTime();
      byVectors.run();
      long after = threads.getCurrentThreadCpuTime();
      times = after - between < between - now ? times + 1 : 0;
      // The compilers may need the processor, and this limit is not there for waiting for them.
      LockSupport.parkNanos(PAUSE);
      now = threads.getCurrentThreadCpuTime();
    }
    areFaster = times == TIMES;
  }
}
