package io.reactivetransfer.examples.first;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import reactor.core.publisher.Mono;

public final class FirstWrite {

  public static void main(String[] args) {
    TransferEngine origin = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment sentence = arena.allocateFrom("One side writes, the other counts.");
      MemorySegment page = arena.allocate(sentence.byteSize());
      MemoryRegion source = origin.register(sentence).block();
      MemoryRegion destination = target.register(page).block();

      // Between two processes, send descriptor().toBytes() by whatever means you have.
      RemoteRegion remote = origin.remote(destination.descriptor());
      Imm imm = Imm.of(7);
      Mono<WriteImm> done = origin.submit(WriteImm.of(source.whole(), remote.whole(), imm));
      Mono<Void> arrived = target.counter(imm).next(1); // one write, and its bytes can be read
      Mono.when(done, arrived).block();
      System.out.println("Arrived: " + page.getString(0));

      origin.close().then(target.close()).block();
    }
  }
}
