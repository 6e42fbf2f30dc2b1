package io.reactivetransfer.examples.howto;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.time.Duration;
import reactor.core.publisher.Mono;

/** A claim and a write that take too long, and the write once more, with time enough. */
public final class MissDeadlines {

  private static final long BYTES = 16L << 20;

  public static void main(String[] args) {
    TransferEngine origin = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      MemoryRegion source = origin.register(arena.allocate(BYTES)).block();
      MemoryRegion destination = target.register(arena.allocate(BYTES)).block();
      RemoteRegion remote = origin.remote(destination.descriptor());
      Imm imm = Imm.of(1);
      ImmCounter counter = target.counter(imm);

      requireLate(counter.within(Duration.ofMillis(20)).next(1));
      System.out.println("Nothing came within 20 ms.");

      WriteImm write = WriteImm.of(source.whole(), remote.whole(), imm);
      requireLate(origin.submit(write, Duration.ofNanos(100_000)));
      System.out.println("The write took longer than 0.1 ms.");

      // What was late does not count and touches no memory any more: it may be submitted again.
      origin.submit(write).block(); // within EngineOptions.transferDeadline(), 60 s
      counter.within(Duration.ofSeconds(10)).next(1).block();
      long more = counter.discard().block();
      if (more != 0) {
        throw new IllegalStateException("expected one arrival, got " + more + " more");
      }
      System.out.println("Submitted again, it arrived once.");
      origin.close().then(target.close()).block();
    }
  }

  private static void requireLate(Mono<?> work) {
    try {
      work.block();
    } catch (DeadlineExceededException e) {
      return;
    }
    throw new IllegalStateException("expected a deadline that is missed, got none");
  }
}
