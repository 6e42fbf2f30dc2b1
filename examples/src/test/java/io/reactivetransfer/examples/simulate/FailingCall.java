package io.reactivetransfer.examples.simulate;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.spi.WriteOp;
import java.nio.ByteBuffer;

/**
 * Has the n-th call of the SPI fail, over all NICs of a run: as its contract allows, or by an
 * exception that no contract allows.
 */
final class FailingCall {

  private final long failing;
  private final boolean breaks;
  private long calls;

  /**
   * Made for one run.
   *
   * @param failing which call fails, from 1 on
   * @param breaks whether it throws what it must not
   */
  FailingCall(long failing, boolean breaks) {
    this.failing = failing;
    this.breaks = breaks;
  }

  /** Whether there was such a call. */
  boolean hasFailed() {
    return calls >= failing;
  }

  Backend in(Backend sound) {
    return new WrappingBackend(
        sound,
        (domain, context) -> {
          if (isIt()) {
            domain.close();
            throw new BackendException(1, "the NIC cannot be opened");
          }
          return new FailingDomain(domain, context);
        });
  }

  private boolean isIt() {
    if (++calls != failing) {
      return false;
    }
    if (breaks) {
      throw new IllegalStateException("the NIC broke down");
    }
    return true;
  }

  private final class FailingDomain extends ForwardingDomain {
    private final OpenContext context;

    FailingDomain(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public LocalMemory register(Memory memory, Access access) {
      if (isIt()) {
        throw new BackendException(12, "the NIC has no room for a registration");
      }
      return inner.register(memory, access);
    }

    @Override
    public RemotePeer resolve(EngineId engine, byte[] address) {
      if (isIt()) {
        throw new BackendException(22, "the NIC does not understand the address");
      }
      return inner.resolve(engine, address);
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      if (isIt()) {
        throw new BackendException(22, "the NIC does not understand the key");
      }
      return inner.resolve(peer, key, length);
    }

    @Override
    public boolean post(WriteOp op) {
      return isIt() ? refuse() : inner.post(op);
    }

    @Override
    public boolean send(RemotePeer peer, ByteBuffer bytes) {
      return isIt() ? refuse() : inner.send(peer, bytes);
    }

    private boolean refuse() {
      context.doorbell().ring();
      return false;
    }

    @Override
    public int poll(CompletionSink sink) {
      if (isIt()) {
        context.doorbell().ring();
        return 0;
      }
      return inner.poll(sink);
    }

    @Override
    public LocalMemory revoke(LocalMemory memory) {
      isIt();
      return inner.revoke(memory);
    }

    @Override
    public void disconnect(RemotePeer peer, String reason) {
      isIt();
      inner.disconnect(peer, reason);
    }
  }
}
