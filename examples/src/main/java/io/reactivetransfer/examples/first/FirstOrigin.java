package io.reactivetransfer.examples.first;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tcp.TcpBackend;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;

public final class FirstOrigin {

  // Arguments: the address of this machine, host:port of the target, the file with the secret.
  public static void main(String[] args) {
    TcpBackend backend =
        TcpBackend.builder().host(args[0]).secret(ClusterSecret.ofFile(Path.of(args[2]))).build();
    TransferEngine engine = TransferEngineBuilder.create().backend(backend).open().block();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment sentence = arena.allocateFrom("One side writes, the other counts.");
      MemoryRegion source = engine.register(sentence).block();

      // Any message will do: it asks where to write.
      Peer target = engine.peer(args[1]).block();
      engine.send(target, ByteBuffer.allocate(0)).block();
      Message answer = engine.messages().next().block();
      byte[] descriptor = new byte[answer.bytes().remaining()];
      answer.bytes().get(descriptor);
      RemoteRegion page = engine.remote(RegionDescriptor.fromBytes(descriptor));

      WriteImm write = WriteImm.of(source.whole(), page.slice(0, source.length()), Imm.of(7));
      engine.submit(write).block();
      System.out.println("The write is done.");
      engine.close().block();
    }
  }
}
