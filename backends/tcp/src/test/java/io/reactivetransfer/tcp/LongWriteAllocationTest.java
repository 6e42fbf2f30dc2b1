package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A long write that goes out makes no garbage, whether the socket takes it from its memory or an
 * accelerator brings it. The socket is one that takes all and allocates nothing.
 */
class LongWriteAllocationTest {

  private static final int WRITES = 100;
  private static final int ROUNDS = 10;

  private final Devices devices = Devices.of(List.of(new QuietDevice()));
  private final Staging staging = new Staging(devices, System::nanoTime);
  private final CopyTurn turn = new CopyTurn();
  private final Outgoing outgoing = new Outgoing(new SmallBuffers(), turn);

  @ParameterizedTest
  @CsvSource({
    "true, 1048576, 1",
    "false, 1048576, 1",
    "true, 5000000, 1",
    "false, 5000000, 1",
    "true, 5000000, 1000",
    "false, 5000000, 1000"
  })
  void aWriteAllocatesNothing(boolean isOfADevice, int bytes, int gathered) throws Exception {
    FutureTask<Long> measured = new FutureTask<>(() -> allocated(isOfADevice, bytes, gathered));
    new FastThreadLocalThread(measured).start(); // as Netty's own are: on others it pools nothing
    // Netty's pools allocate when many buffers are out at once, but no object for each row.
    assertThat(measured.get(40, TimeUnit.SECONDS))
        .as("bytes for %s writes", WRITES)
        .isLessThan(WRITES * (gathered == 1 ? 1 : 8L * gathered));
  }

  /** In the round that has taken least. */
  private long allocated(boolean isOfADevice, int bytes, int gathered) {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    ChannelHandlerContext context = new Taking().pipeline().firstContext();
    try (Arena arena = Arena.ofShared()) {
      Memory memory =
          isOfADevice
              ? new DeviceMemory(QuietDevice.DEVICE, 1L << 40, bytes)
              : new HostMemory(arena.allocate(bytes));
      TcpMemory source = new TcpMemory(new MemoryKey(1, 1), memory, Access.LOCAL, devices, staging);
      TcpRemoteMemory target = new TcpRemoteMemory(null, new MemoryKey(2, 2), bytes);
      Operation op = new Operation().between(source, target).range(0, 0, bytes).token(1);
      if (gathered > 1) {
        int[] list = IntStream.range(0, gathered).map(row -> gathered - 1 - row).toArray();
        op.gathering(list, 0, gathered, bytes / gathered, bytes / gathered);
      }
      long least = Long.MAX_VALUE;
      // As long as the compiler is at work, what it will remove is still allocated.
      for (int round = 0; round < ROUNDS && least >= WRITES; round++) {
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < WRITES; i++) {
          write(context, source, target, op);
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      return least;
    } finally {
      staging.close();
    }
  }

  private void write(
      ChannelHandlerContext context, TcpMemory source, TcpRemoteMemory target, Operation op) {
    LongWrite write = outgoing.newWrite();
    MemoryView sent = write.begin(source, target, op, context.alloc());
    outgoing.add(write);
    while (!outgoing.isEmpty()) {
      turn.renew();
      int _ = outgoing.give(context);
      context.flush();
    }
    if (sent.refCnt() > 0) {
      throw new AssertionError("expected all to be sent");
    }
    sent.recycle();
  }

  /** A socket that takes all. */
  private static final class Taking extends EmbeddedChannel {

    Taking() {
      super(new ChannelInboundHandlerAdapter());
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) {
      for (Object next; (next = out.current()) != null; ) {
        out.removeBytes(((ByteBuf) next).readableBytes());
      }
    }
  }

  /** Copies nothing, and allocates nothing for that. */
  private static final class QuietDevice implements DeviceAccess {

    private static final Device DEVICE = Device.of("quiet", 0);

    @Override
    public Availability availability() {
      return Availability.available();
    }

    @Override
    public List<Device> devices() {
      return List.of(DEVICE);
    }

    @Override
    public void copyToHost(
        DeviceMemory from, long at, MemorySegment to, long offset, long length) {}

    @Override
    public void copyFromHost(
        MemorySegment from, long at, DeviceMemory to, long offset, long length) {}

    @Override
    public long peek(DeviceMemory memory, long offset) {
      return 0;
    }

    @Override
    public StagingBuffer stagingBuffer(Device device, long bytes) {
      return new QuietBuffer(Arena.ofAuto().allocate(bytes, Long.BYTES));
    }
  }

  private record QuietBuffer(MemorySegment memory) implements StagingBuffer {

    @Override
    public void fetch(DeviceMemory source, long sourceOffset, long at, long length) {}

    @Override
    public void store(long at, DeviceMemory target, long targetOffset, long length) {}

    @Override
    public void await() {}

    @Override
    public void close() {}
  }
}
