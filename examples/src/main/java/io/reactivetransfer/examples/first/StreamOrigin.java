package io.reactivetransfer.examples.first;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tcp.TcpBackend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import reactor.core.publisher.Flux;

public final class StreamOrigin {

  private static final int PARTS = 20;
  private static final long PART_BYTES = 65_536;
  private static final MessageChannel FREE_SLOTS = new MessageChannel(1);

  // Arguments: the address of this machine, host:port of the target, the file with the secret.
  public static void main(String[] args) {
    TcpBackend backend =
        TcpBackend.builder().host(args[0]).secret(ClusterSecret.ofFile(Path.of(args[2]))).build();
    TransferEngine engine = TransferEngineBuilder.create().backend(backend).open().block();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment parts = arena.allocate(PARTS * PART_BYTES, Long.BYTES);
      MemoryRegion source = engine.register(parts).block();
      Peer target = engine.peer(args[1]).block();
      engine.send(target, ByteBuffer.allocate(0)).block();
      Message answer = engine.messages().next().block();
      byte[] descriptor = new byte[answer.bytes().remaining()];
      answer.bytes().get(descriptor);
      RemoteRegion slots = engine.remote(RegionDescriptor.fromBytes(descriptor));

      // Each message names a free slot; a part is computed when there is one.
      Flux<WriteImm> writes =
          engine
              .messages(FREE_SLOTS)
              .take(PARTS)
              .index((part, message) -> {
                int slot = message.bytes().getInt();
                parts.set(ValueLayout.JAVA_LONG, part * PART_BYTES, part);
                System.out.println("Part " + part + " goes to slot " + slot + ".");
                return WriteImm.of(
                    source.slice(part * PART_BYTES, PART_BYTES),
                    slots.slice(slot * PART_BYTES, PART_BYTES),
                    Imm.of(slot));
              });
      long done = engine.submit(writes).count().block();
      System.out.println(done + " parts are written.");
      engine.close().block();
    }
  }
}
