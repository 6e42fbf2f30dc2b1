package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has the socket read the bytes of a write straight into the memory that they are for, where it is
 * known and much is to come; everything else is read into buffers, as it would be without. Reads
 * several times in one turn where several connections have something to read: so what has come is
 * acknowledged once for all of it, and none of those who write is idle meanwhile.
 */
final class DirectRead implements RecvByteBufAllocator {

  private final RecvByteBufAllocator otherwise;
  private final Supplier<@Nullable ByteBuf> destination;
  private final IntSupplier mostReads;

  /**
   * For one connection.
   *
   * @param otherwise gives the buffers for everything else
   * @param destination asked before each read; gives an empty buffer to read into, or null
   * @param mostReads how often may be read in this turn
   */
  DirectRead(
      RecvByteBufAllocator otherwise,
      Supplier<@Nullable ByteBuf> destination,
      IntSupplier mostReads) {
    this.otherwise = otherwise;
    this.destination = destination;
    this.mostReads = mostReads;
  }

  @Override
  @SuppressWarnings("deprecation") // the type of the method that is to be overridden
  public Handle newHandle() {
    return new Choosing((ExtendedHandle) otherwise.newHandle());
  }

  private final class Choosing extends DelegatingHandle implements ExtendedHandle {

    private @Nullable ChannelConfig config;
    private int reads;

    Choosing(ExtendedHandle otherwise) {
      super(otherwise);
    }

    @Override
    public void reset(ChannelConfig now) {
      super.reset(now);
      config = now;
      reads = 0;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator alloc) {
      ByteBuf direct = destination.get();
      return direct == null ? super.allocate(alloc) : direct;
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
      return ++reads < mostReads.getAsInt()
          && config != null
          && config.isAutoRead()
          && maybeMoreData.get();
    }
  }
}
