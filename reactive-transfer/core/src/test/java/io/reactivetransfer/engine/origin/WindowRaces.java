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

/** A write that can be changed is in one stream at a time. */
public class WindowRaces {

  private static final MemoryRegion SOURCE = empty(MemoryRegion.class);
  private static final RemoteRegion TARGET = empty(RemoteRegion.class);

  /** A region of no bytes. */
  private static <R> R empty(Class<R> type) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> 0L));
  }

  private static AimedWrite write() {
    return AimedWrite.between(SOURCE, TARGET, Imm.of(1));
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
}
