package io.reactivetransfer.examples.howto;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** More writes than there is memory for at the origin: the window says when a buffer is free. */
public final class ManyWrites {

  private static final int WRITES = 1_000;
  private static final int WINDOW = 8;
  private static final long BYTES = 4_096;

  public static void main(String[] args) {
    EngineOptions options = EngineOptions.builder().window(WINDOW).build();
    TransferEngine origin =
        TransferEngineBuilder.create().backend("tcp").options(options).open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment buffers = arena.allocate(WINDOW * BYTES, Long.BYTES);
      MemorySegment received = arena.allocate(WRITES * BYTES, Long.BYTES);
      MemoryRegion source = origin.register(buffers).block();
      RemoteRegion remote = origin.remote(target.register(received).block().descriptor());
      Imm imm = Imm.of(1);

      Queue<Long> free = new ConcurrentLinkedQueue<>();
      Flux.range(0, WINDOW).map(buffer -> buffer * BYTES).subscribe(free::add);
      Flux<WriteImm> writes =
          Flux.range(0, WRITES)
              .map(i -> { // called when one of the window is done, not before
                long offset = free.remove(); // throws if there is none
                buffers.set(ValueLayout.JAVA_LONG, offset, i);
                return WriteImm.of(
                    source.slice(offset, BYTES), remote.slice(i * BYTES, BYTES), imm);
              });
      Mono<Long> done =
          origin.submit(writes).doOnNext(write -> free.add(write.source().offset())).count();
      Mono<Void> arrived = target.counter(imm).next(WRITES);
      long count = Mono.zip(done, arrived.thenReturn(true)).block().getT1();

      for (int i = 0; i < WRITES; i++) {
        if (received.get(ValueLayout.JAVA_LONG, i * BYTES) != i) {
          throw new IllegalStateException("expected write " + i + " at its place");
        }
      }
      System.out.println(count + " writes went through " + WINDOW + " buffers.");
      origin.close().then(target.close()).block();
    }
  }
}
