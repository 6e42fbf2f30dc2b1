package io.reactivetransfer.examples.howto;

import io.reactivetransfer.Change;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** A thread, or a GPU, says in a word of memory how many parts it has computed. */
public final class WatchWord {

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
  private static final int PARTS = 100;

  public static void main(String[] args) {
    TransferEngine origin = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment computed = arena.allocate(ValueLayout.JAVA_LONG); // parts, so far
      MemorySegment parts = arena.allocate(ValueLayout.JAVA_LONG, PARTS);
      MemorySegment received = arena.allocate(ValueLayout.JAVA_LONG, PARTS);
      MemoryRegion source = origin.register(parts).block();
      RemoteRegion remote = origin.remote(target.register(received).block().descriptor());
      Imm imm = Imm.of(1);

      Runnable compute =
          () -> {
            for (int part = 0; part < PARTS; part++) {
              parts.setAtIndex(ValueLayout.JAVA_LONG, part, part + 1);
              WORD.setRelease(computed, 0L, part + 1L); // whoever reads it can read the part
            }
          };
      // Of changes that come too fast the last is told, so one may stand for several parts.
      Flux<WriteImm> writes =
          origin
              .watch(computed)
              .doOnSubscribe(watched -> Thread.ofPlatform().start(compute))
              .takeUntil(change -> change.current() == PARTS)
              .concatMap(change -> partsOf(change))
              .map(part -> WriteImm.of(source.slice(8 * part, 8), remote.slice(8 * part, 8), imm));
      Mono.when(origin.submit(writes), target.counter(imm).next(PARTS)).block();

      if (received.mismatch(parts) != -1) {
        throw new IllegalStateException("expected all parts as they were computed");
      }
      System.out.println(PARTS + " parts were written as they were computed.");
      origin.close().then(target.close()).block();
    }
  }

  private static Flux<Long> partsOf(Change change) {
    int count = (int) (change.current() - change.previous());
    return Flux.range(0, count).map(i -> change.previous() + i);
  }
}
