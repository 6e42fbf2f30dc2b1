package io.reactivetransfer.engine.origin;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.L_Result;

/** A write that can be changed is in one stream at a time. */
public class WindowRaces {

  private static final MemoryRegion SOURCE = empty(MemoryRegion.class);
  private static final RemoteRegion TARGET = empty(RemoteRegion.class);
  private static final Imm IMM = Imm.of(1);

  /** A region of no bytes. */
  private static <R> R empty(Class<R> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> 0L));
  }

  private static AimedWrite write() {
    return AimedWrite.between(SOURCE, TARGET, IMM);
  }

  /** Two streams are given the same writes, one after the other. */
  @JCStressTest
  @Outcome(id = "64", expect = ACCEPTABLE, desc = "each is in one of them")
  @State
  public static class OneWriteForTwo {
    private final AimedWrite[] writes = new AimedWrite[64];
    private final Window one = new Window(writes.length);
    private final Window other = new Window(writes.length);
    private int inOne;
    private int inOther;

    public OneWriteForTwo() {
      Arrays.setAll(writes, i -> write());
    }

    @Actor
    public void user() {
      inOne = given(one);
    }

    @Actor
    public void anotherUser() {
      inOther = given(other);
    }

    private int given(Window window) {
      int given = 0;
      for (AimedWrite write : writes) {
        given += window.give(write) ? 1 : 0;
      }
      return given;
    }

    @Arbiter
    public void end(I_Result result) {
      result.r1 = inOne + inOther;
    }
  }

  /** A stream ends while its upstream gives it a write. */
  @JCStressTest
  @Outcome(id = "free", expect = ACCEPTABLE, desc = "when both are over the write is its owner's")
  @State
  public static class GivingAndTheEnd {
    private final AimedWrite write = write();
    private final Window window = new Window(1);
    private boolean isOver;

    @Actor
    public void upstream() {
      window.give(write);
    }

    @Actor
    public void end() {
      isOver = window.close();
      if (isOver) {
        discard();
      }
    }

    private void discard() {
      int place;
      while ((place = window.next()) != Window.NONE) {
        window.take();
        window.forget(place);
      }
    }

    @Arbiter
    public void end(L_Result result) {
      if (!isOver && window.close()) { // as behind what is given
        discard();
      }
      try {
        write.redirect(TARGET, IMM);
        result.r1 = "free";
      } catch (IllegalStateException e) {
        result.r1 = e.getMessage();
      }
    }
  }
}
