package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.libfabric.ffi.LibFabric;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Two NICs that do with each other all that NICs do, on one thread. Where something may fail, what
 * follows from it is left out; where it may not, the exception comes out.
 */
final class FaultScenario {

  private static final int LENGTH = 200_000;

  /** Goes with the call, where the provider has that. */
  private static final int SHORT = 10;

  private static final int LONG = 100_000;
  private static final long PATIENCE_NANOS = 20_000_000_000L;
  private static final long ORIGIN = 1;
  private static final long TARGET = 2;

  private final FabricLibrary library;
  private final ProviderChoice choice;
  private final Duration connectTimeout;
  private final Recorder atOrigin = new Recorder();
  private final Recorder atTarget = new Recorder();
  private final List<Domain> open = new ArrayList<>();
  private final List<Long> taken = new ArrayList<>();
  private TwoNics nics;
  private long tokens;

  /** Over these calls, with NICs that wait so long for each other. */
  FaultScenario(LibFabric lib, ProviderChoice choice, Duration connectTimeout) {
    this.connectTimeout = connectTimeout;
    this.library = new FabricLibrary("the library under test", lib);
    this.choice = choice;
  }

  /** What the NIC that writes has reported. */
  Recorder atOrigin() {
    return atOrigin;
  }

  /** What the NIC that is written to has reported. */
  Recorder atTarget() {
    return atTarget;
  }

  /** Does it all, and closes what it has opened. */
  void run() {
    try (Arena arena = Arena.ofShared()) {
      MemorySegment from = arena.allocate(LENGTH, 64);
      MemorySegment to = arena.allocate(LENGTH, 64);
      try {
        use(open(ORIGIN), open(TARGET), new HostMemory(from), new HostMemory(to));
      } catch (BackendException e) {
        // opening and registering may fail
      } finally {
        open.reversed().forEach(Domain::close);
      }
    }
  }

  private Domain open(long engine) {
    Domain domain =
        LibfabricDomain.open(
            library,
            choice,
            choice.infos().getFirst(),
            InstalledLibrary.context(engine, connectTimeout));
    open.add(domain);
    return domain;
  }

  private void use(Domain origin, Domain target, HostMemory from, HostMemory to) {
    LocalMemory source = origin.register(from, Access.LOCAL).toCompletableFuture().join();
    LocalMemory local = target.register(to, Access.REMOTE_WRITE).toCompletableFuture().join();
    nics = new TwoNics(origin, atOrigin, target, atTarget);
    RemotePeer peer = nics.target();
    strictly(() -> {
      writeAll(origin, source, origin.resolve(peer, local.key(), LENGTH));
    });
    LocalMemory renewed = revoke(target, local);
    strictly(() -> {
      write(origin, source, origin.resolve(peer, local.key(), LENGTH), 100, true);
      write(origin, source, origin.resolve(peer, renewed.key(), LENGTH), 100, true);
      target.deregister(renewed);
      nics.disconnect("the scenario gives it up");
      origin.deregister(source);
      nics.turn();
      origin.release(peer);
      nics.turn();
    });
  }

  /** Where that fails, the old memory is still there to be deregistered. */
  private static LocalMemory revoke(Domain target, LocalMemory old) {
    try {
      return target.revoke(old).toCompletableFuture().join();
    } catch (BackendException e) {
      target.deregister(old);
      throw e;
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

  private void writeAll(Domain origin, LocalMemory source, RemoteMemory target) {
    write(origin, source, target, 100, false);
    write(origin, source, target, 100, true);
    write(origin, source, target, 0, true);
    write(origin, source, target, SHORT, true);
    write(origin, source, target, LONG, false);
    write(origin, source, target, LONG, true);
  }

  /** Some of them at once; waits until each is reported. */
  private void write(
      Domain origin, LocalMemory source, RemoteMemory target, long length, boolean withImm) {
    Operation op = new Operation().between(source, target).range(0, 0, length);
    for (int i = 0; i < 2; i++) {
      long token = tokens++;
      op.token(token);
      Operation write = withImm ? op.withImm((int) tokens) : op.withoutImm();
      long losses = losses();
      until(
          "write " + token + " to be taken over, or a loss",
          () -> losses() > losses || post(origin, write));
    }
    until(
        "a report of all of " + taken,
        () -> taken.stream().allMatch(token -> atOrigin.reportsOf(token) > 0));
  }

  private boolean post(Domain origin, Operation write) {
    boolean took = origin.post(write).isTaken();
    if (took) {
      taken.add(write.token());
    }
    return took;
  }

  private long losses() {
    return atOrigin.reports().stream().filter(report -> report.startsWith("lost")).count();
  }

  private void until(String what, BooleanSupplier condition) {
    long begin = System.nanoTime();
    while (!condition.getAsBoolean()) {
      nics.turn();
      if (System.nanoTime() - begin > PATIENCE_NANOS) {
        throw new AssertionError(
            "expected "
                + what
                + ", got at the origin "
                + atOrigin.reports()
                + atOrigin.texts()
                + " and at the target "
                + atTarget.reports()
                + atTarget.texts());
      }
    }
  }

  /**
   * No write is reported twice, or without having been taken over; and no immediate comes twice.
   */
  void requireOneReportOfEach() {
    for (long token = 0; token < tokens; token++) {
      assertThat(atOrigin.reportsOf(token))
          .as("reports of write %s", token)
          .isLessThanOrEqualTo(taken.contains(token) ? 1 : 0);
    }
    List<String> imms = atTarget.reports().stream().filter(each -> each.startsWith("imm")).toList();
    assertThat(imms).as("immediates").doesNotHaveDuplicates();
  }
}
