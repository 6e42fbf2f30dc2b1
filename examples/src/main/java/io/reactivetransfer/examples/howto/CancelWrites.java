package io.reactivetransfer.examples.howto;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;

/** Cancels a stream of writes, and waits until its memory and its immediate may be used again. */
public final class CancelWrites {

  private static final int BYTES = 65_536;

  public static void main(String[] args) {
    TransferEngine origin = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment page = arena.allocate(BYTES).fill((byte) 1);
      MemorySegment received = arena.allocate(BYTES);
      MemoryRegion source = origin.register(page).block();
      RemoteRegion remote = origin.remote(target.register(received).block().descriptor());
      Imm imm = Imm.of(1);
      WriteImm write = WriteImm.of(source.whole(), remote.whole(), imm);

      Disposable stream = origin.submit(Flux.just(write).repeat()).subscribe(); // never ends
      target.counter(imm).next(10).block();
      stream.dispose(); // signals nothing, and cannot call back what a NIC has begun

      source.quiesced().block(); // from here on nothing reads the page
      page.fill((byte) 2);
      origin.send(origin.peer(target.address()), ByteBuffer.allocate(0)).block();
      target.messages().next().block(); // the target knows now what was cancelled
      target.counter(imm).discard().block(); // those that came beyond the ten
      if (received.mismatch(arena.allocate(BYTES).fill((byte) 1)) != -1) {
        throw new IllegalStateException("expected no byte of what was written into the page later");
      }

      origin.submit(write).block();
      target.counter(imm).next(1).block();
      long more = target.counter(imm).discard().block();
      if (more != 0 || received.mismatch(page) != -1) {
        throw new IllegalStateException("expected one write after the cancel, got more");
      }
      System.out.println("The stream was cancelled, and then the next write counted once.");
      origin.close().then(target.close()).block();
    }
  }
}
