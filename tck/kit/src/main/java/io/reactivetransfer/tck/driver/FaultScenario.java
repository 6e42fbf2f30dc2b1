package io.reactivetransfer.tck.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.RemoteMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What came of two NICs that did with each other all that NICs do, on one thread. Where something
 * may fail, what follows from it was left out; where it may not, the exception came out of {@link
 * #run}.
 *
 * @param nics null where opening or registering has failed
 * @param isClosed whether all could be closed that was opened
 */
public record FaultScenario(@Nullable TwoNics nics, boolean isClosed) {

  private static final long LENGTH = 300_000;

  /** Goes with the call, or within the work request, where a NIC has that. */
  private static final long SHORT = 10;

  /** Does it all, and closes the NICs. */
  public static FaultScenario run(Supplier<TwoNics> opening) {
    TwoNics nics;
    try {
      nics = opening.get();
    } catch (BackendException e) {
      return new FaultScenario(null, true);
    }
    boolean isUsed = false;
    boolean isClosed = false;
    try (Arena arena = Arena.ofShared()) {
      try {
        isUsed = use(nics, arena.allocate(LENGTH, 64), arena.allocate(LENGTH, 64));
      } finally {
        isClosed = nics.close();
      }
    }
    return new FaultScenario(isUsed ? nics : null, isClosed);
  }

  private static boolean use(TwoNics nics, MemorySegment from, MemorySegment to) {
    LocalMemory source;
    LocalMemory local;
    try {
      source = nics.source(from);
      local = nics.openToOrigin(to);
    } catch (BackendException e) {
      return false;
    }
    strictly(() -> writeAll(nics, source, nics.named(local, LENGTH)));
    LocalMemory renewed = revoke(nics, local);
    strictly(() -> {
      nics.write(source, nics.named(local, LENGTH), 2, i -> 0, 100, true);
      nics.write(source, nics.named(renewed, LENGTH), 2, i -> 0, 100, true);
    });
    end(() -> TwoNics.join(nics.target().deregister(renewed)));
    strictly(nics::disconnect);
    end(() -> TwoNics.join(nics.origin().deregister(source)));
    strictly(nics::release);
    return true;
  }

  private static void writeAll(TwoNics nics, LocalMemory source, RemoteMemory target) {
    nics.write(source, target, 2, i -> 0, 100, false);
    nics.write(source, target, 2, i -> 0, 100, true);
    nics.write(source, target, 2, i -> 0, 0, true);
    nics.write(source, target, 2, i -> 0, SHORT, true);
    nics.write(source, target, 2, i -> 1_000 * i, LENGTH / 2, false);
    nics.write(source, target, 2, i -> 1_000 * i, LENGTH / 2, true);
  }

  /** Where that fails, the old memory stays. */
  private static LocalMemory revoke(TwoNics nics, LocalMemory old) {
    try {
      return TwoNics.join(nics.target().revoke(old));
    } catch (BackendException e) {
      return old;
    }
  }

  /** What closing does in the end. */
  private static void end(Runnable step) {
    try {
      step.run();
    } catch (BackendException e) {
      // then it is done by closing
    }
  }

  /** Here even a BackendException is one too many. */
  private static void strictly(Runnable steps) {
    try {
      steps.run();
    } catch (BackendException e) {
      throw new AssertionError("an exception came out where none may: " + e.getMessage(), e);
    }
  }

  /** No write was reported twice, or without having been taken over; no immediate came twice. */
  public void expectOneReportOfEach() {
    if (nics != null) {
      assertThat(nics.wrongReports()).isEmpty();
    }
  }

  /** Nothing has failed but the two writes to memory that was revoked. */
  public void expectAllDone() {
    if (nics == null) {
      throw new AssertionError("expected NICs that open and register memory, got a failure");
    }
    assertThat(nics.atOrigin().count("written")).as("writes").isEqualTo(14);
    assertThat(nics.atOrigin().reports()).contains("refused 12", "refused 13", "written 15");
    assertThat(nics.atTarget().reports()).contains("imm 2", "imm 11", "imm 15");
    assertThat(nics.wrongReports()).isEmpty();
    assertThat(isClosed).as("closed").isTrue();
  }
}
