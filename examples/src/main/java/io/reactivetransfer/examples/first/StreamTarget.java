package io.reactivetransfer.examples.first;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tcp.TcpBackend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

public final class StreamTarget {

  // Room for 4 parts at a time, each of which is used 5 times.
  private static final int SLOTS = 4;
  private static final int ROUNDS = 5;
  private static final long PART_BYTES = 65_536;
  private static final MessageChannel FREE_SLOTS = new MessageChannel(1);

  // Arguments: the address of this machine, a port, the file with the secret.
  public static void main(String[] args) {
    TcpBackend backend =
        TcpBackend.builder()
            .host(args[0])
            .port(Integer.parseInt(args[1]))
            .secret(ClusterSecret.ofFile(Path.of(args[2])))
            .build();
    TransferEngine engine = TransferEngineBuilder.create().backend(backend).open().block();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment slots = arena.allocate(SLOTS * PART_BYTES, Long.BYTES);
      MemoryRegion region = engine.register(slots).block();
      System.out.println("Listening at " + engine.address().control());
      Peer origin = engine.messages().next().block().sender();
      engine.send(origin, ByteBuffer.wrap(region.descriptor().toBytes())).block();

      Flux.range(0, SLOTS)
          .flatMap(slot -> round(engine, origin, slots, slot).repeat(ROUNDS - 1))
          .then()
          .block();

      origin.state().takeUntil(PeerState.Lost.class::isInstance).blockLast();
      engine.close().block();
    }
  }

  // Says that the slot is free, waits until a part is there, and uses it for a while.
  private static Mono<Void> round(
      TransferEngine engine, Peer origin, MemorySegment slots, int slot) {
    ByteBuffer free = ByteBuffer.allocate(Integer.BYTES).putInt(slot).flip();
    return engine
        .send(origin, FREE_SLOTS, free)
        .then(engine.counter(Imm.of(slot)).boundTo(origin).next(1))
        .then(Mono.delay(Duration.ofMillis(200)))
        .doOnNext(time -> {
          long part = slots.get(ValueLayout.JAVA_LONG, slot * PART_BYTES);
          System.out.println("Used part " + part + " in slot " + slot + ".");
        })
        .then();
  }
}
