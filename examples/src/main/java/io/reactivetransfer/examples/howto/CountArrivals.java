package io.reactivetransfer.examples.howto;

import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * A leased immediate, and its counter in rounds of ten writes: a count says how many, not which.
 */
public final class CountArrivals {

  public static void main(String[] args) {
    TransferEngine origin = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine target = TransferEngineBuilder.create().backend("tcp").open().block();
    try (Arena arena = Arena.ofShared()) {
      MemoryRegion source = origin.register(arena.allocate(64)).block();
      MemoryRegion destination = target.register(arena.allocate(64)).block();
      RemoteRegion remote = origin.remote(destination.descriptor());

      // Nobody else on the target has this one. Its number goes to the origin by a message, say.
      ImmLease lease = target.lease();
      Imm imm = Imm.of(lease.imm().value());
      WriteImm write = WriteImm.of(source.whole(), remote.whole(), imm);
      Mono<Void> written = origin.submit(Flux.just(write).repeat(31)).then(); // 32 writes
      Mono<List<Long>> rounds = lease.counter().every(10).take(3).collectList();
      List<Long> met = Mono.zip(rounds, written.thenReturn(true)).block().getT1();

      long left = lease.counter().discard().block(); // what nobody has claimed
      lease.close();
      if (!met.equals(List.of(1L, 2L, 3L)) || left != 2) {
        throw new IllegalStateException("expected 3 rounds and 2 left, got " + met + ", " + left);
      }
      System.out.println(met.size() + " rounds of 10 writes came, and " + left + " were left.");
      origin.close().then(target.close()).block();
    }
  }
}
