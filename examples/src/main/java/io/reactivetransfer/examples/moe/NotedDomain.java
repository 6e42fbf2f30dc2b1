package io.reactivetransfer.examples.moe;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionStage;

/** A NIC that notes when it has taken a write, and otherwise does what another one does. */
final class NotedDomain implements Domain {

  private final Domain nic;
  private final Posts posts;

  NotedDomain(Domain nic, Posts posts) {
    this.nic = nic;
    this.posts = posts;
  }

  @Override
  public PostResult post(Operation op) {
    PostResult result = nic.post(op);
    if (result.isTaken()) {
      posts.taken(op);
    }
    return result;
  }

  @Override
  public Capabilities capabilities() {
    return nic.capabilities();
  }

  @Override
  public byte[] address() {
    return nic.address();
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    return nic.register(memory, access)
        .thenApply(local -> {
          if (!access.allowsRemoteWrite()) {
            posts.ofOthers(local);
          }
          return local;
        });
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    return nic.revoke(memory);
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    return nic.deregister(memory);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int number, byte[] address) {
    return nic.resolve(engine, number, address);
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    return nic.resolve(peer, key, length);
  }

  @Override
  public void fromPeer(RemotePeer from, ByteBuffer message) {
    nic.fromPeer(from, message);
  }

  @Override
  public void release(RemotePeer peer) {
    nic.release(peer);
  }

  @Override
  public void release(RemoteMemory memory) {
    nic.release(memory);
  }

  @Override
  public void flush() {
    nic.flush();
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    return nic.disconnect(peer, reason);
  }

  @Override
  public int poll(CompletionSink sink) {
    return nic.poll(sink);
  }

  @Override
  public int[] waitDescriptors() {
    return nic.waitDescriptors();
  }

  @Override
  public boolean prepareWait() {
    return nic.prepareWait();
  }

  @Override
  public void close() {
    nic.close();
  }
}
