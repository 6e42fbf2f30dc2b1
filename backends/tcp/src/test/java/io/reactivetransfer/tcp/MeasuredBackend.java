package io.reactivetransfer.tcp;

import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.reactivetransfer.spi.WorkerLoop;
import io.reactivetransfer.tck.ForwardingBackend;

/** Knows how much memory the buffers of the one engine that is built on it take. */
public final class MeasuredBackend extends ForwardingBackend {

  private volatile PooledByteBufAllocator buffers;

  public MeasuredBackend() {
    super(new TcpBackend(), (domain, _) -> domain);
  }

  @Override
  public WorkerLoop newLoop() {
    TcpLoop loop = (TcpLoop) super.newLoop();
    buffers =
        (PooledByteBufAllocator)
            loop.client().configuration().options().get(ChannelOption.ALLOCATOR);
    return loop;
  }

  /** What is taken from the system; what is free of it is used again. */
  public long directBytes() {
    return buffers.metric().usedDirectMemory();
  }
}
