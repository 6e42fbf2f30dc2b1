package io.reactivetransfer.tck;

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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A NIC that does what another one does; the base of what changes one thing. */
public class ForwardingDomain implements Domain {

  /** Where everything goes that is not changed. */
  protected final Domain inner;

  /** In front of this one. */
  public ForwardingDomain(Domain inner) {
    this.inner = inner;
  }

  @Override
  public Capabilities capabilities() {
    return inner.capabilities();
  }

  @Override
  public byte[] address() {
    return inner.address();
  }

  /** What a NIC that takes no time over it has done. */
  protected static <T> T now(CompletionStage<T> stage) {
    CompletableFuture<T> done = stage.toCompletableFuture();
    if (!done.isDone()) {
      throw new IllegalStateException("expected a NIC that registers at once");
    }
    try {
      return done.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException reason ? reason : e;
    }
  }

  @Override
  public CompletionStage<LocalMemory> register(Memory memory, Access access) {
    return inner.register(memory, access);
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    return inner.revoke(memory);
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    return inner.deregister(memory);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    return inner.resolve(engine, nic, address);
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    return inner.resolve(peer, key, length);
  }

  @Override
  public void release(RemoteMemory memory) {
    inner.release(memory);
  }

  @Override
  public PostResult post(Operation op) {
    return inner.post(op);
  }

  @Override
  public void flush() {
    inner.flush();
  }

  @Override
  public void fromPeer(RemotePeer from, ByteBuffer message) {
    inner.fromPeer(from, message);
  }

  @Override
  public void release(RemotePeer peer) {
    inner.release(peer);
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    return inner.disconnect(peer, reason);
  }

  @Override
  public int poll(CompletionSink sink) {
    return inner.poll(sink);
  }

  @Override
  public int[] waitDescriptors() {
    return inner.waitDescriptors();
  }

  @Override
  public boolean prepareWait() {
    return inner.prepareWait();
  }

  @Override
  public void close() {
    inner.close();
  }
}
