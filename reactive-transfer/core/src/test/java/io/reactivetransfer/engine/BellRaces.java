package io.reactivetransfer.engine;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import io.reactivetransfer.spi.NicWait;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.Z_Result;

/** No ring is lost between a thread that falls asleep and one that leaves work and rings. */
public class BellRaces {

  private static final VarHandle WORK;

  static {
    try {
      WORK = MethodHandles.lookup().findVarHandle(Side.class, "work", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** One thread that sleeps, and one that wakes it. */
  static class Side implements NicWait {
    final Bell bell = new Bell();
    int work;
    volatile boolean woken;
    boolean seen;
    boolean asleep;

    /** Leaves work as a queue does, without a fence of its own. */
    void leaveWork() {
      WORK.setRelease(this, 1);
      bell.ring();
    }

    /** One turn, and then to sleep if it may. */
    void turnAndSleep() {
      bell.answer();
      seen = (int) WORK.getAcquire(this) == 1;
      asleep = !seen && bell.fallAsleep(this);
    }

    /** Whether it sleeps for ever though there is work. */
    boolean isLost() {
      return asleep && !woken;
    }

    @Override
    public void watch(int[] descriptors) {}

    @Override
    public boolean await(long nanos) {
      return woken;
    }

    @Override
    public void wake() {
      woken = true;
    }

    @Override
    public void close() {}
  }

  /** The first ring. */
  @JCStressTest
  @Outcome(id = "false", expect = ACCEPTABLE, desc = "the work was seen, or the sleeper is woken")
  @Outcome(id = "true", expect = FORBIDDEN, desc = "asleep, and there is work")
  @State
  public static class RingAndSleep {
    private final Side side = new Side();

    @Actor
    public void ringer() {
      side.leaveWork();
    }

    @Actor
    public void sleeper() {
      side.turnAndSleep();
    }

    @Arbiter
    public void end(Z_Result result) {
      result.r1 = side.isLost();
    }
  }

  /** Somebody else had rung before, so that this ring finds it rung, or answered. */
  @JCStressTest
  @Outcome(id = "false", expect = ACCEPTABLE, desc = "the work was seen, or the sleeper is woken")
  @Outcome(id = "true", expect = FORBIDDEN, desc = "asleep, and there is work")
  @State
  public static class SecondRingAndSleep {
    private final Side side = new Side();

    public SecondRingAndSleep() {
      side.bell.ring();
    }

    @Actor
    public void ringer() {
      side.leaveWork();
    }

    @Actor
    public void sleeper() {
      side.turnAndSleep();
    }

    @Arbiter
    public void end(Z_Result result) {
      result.r1 = side.isLost();
    }
  }
}
