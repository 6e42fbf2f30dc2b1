package io.reactivetransfer.examples.first;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tcp.TcpBackend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;

public final class FirstTarget {

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
      MemorySegment page = arena.allocate(4096);
      MemoryRegion region = engine.register(page).block();
      System.out.println("Listening at " + engine.address().control());

      // Whoever sends a message is told where to write.
      Peer origin = engine.messages().next().block().sender();
      engine.send(origin, ByteBuffer.wrap(region.descriptor().toBytes())).block();

      // One write under immediate 7; or an error, if the origin is lost before.
      engine.counter(Imm.of(7)).boundTo(origin).next(1).block();
      System.out.println("Arrived: " + page.getString(0));

      // The origin closes first: then it knows how its write has ended.
      origin.state().takeUntil(PeerState.Lost.class::isInstance).blockLast();
      engine.close().block();
    }
  }
}
