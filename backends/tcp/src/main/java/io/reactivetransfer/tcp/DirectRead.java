package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has the socket read the bytes of a write straight into the memory that they are for, where it is
 * known and much is to come; everything else is read into buffers, as it would be without.
 */
final class DirectRead implements RecvByteBufAllocator {

  private final RecvByteBufAllocator otherwise;
  private final Supplier<@Nullable ByteBuf> destination;

  /**
   * For one connection.
   *
   * @param otherwise gives the buffers for everything else
   * @param destination asked before each read; gives an empty buffer to read into, or null
   */
  DirectRead(RecvByteBufAllocator otherwise, Supplier<@Nullable ByteBuf> destination) {
    this.otherwise = otherwise;
    this.destination = destination;
  }

  @Override
  @SuppressWarnings("deprecation") // the type of the method that is to be overridden
  public Handle newHandle() {
    return new Choosing((ExtendedHandle) otherwise.newHandle(), destination);
  }

  private static final class Choosing extends DelegatingHandle implements ExtendedHandle {

    private final ExtendedHandle otherwise;
    private final Supplier<@Nullable ByteBuf> destination;

    Choosing(ExtendedHandle otherwise, Supplier<@Nullable ByteBuf> destination) {
      super(otherwise);
      this.otherwise = otherwise;
      this.destination = destination;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator alloc) {
      ByteBuf direct = destination.get();
      return direct == null ? otherwise.allocate(alloc) : direct;
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
      return otherwise.continueReading(maybeMoreData);
    }
  }
}
