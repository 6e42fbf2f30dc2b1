package io.reactivetransfer.ibverbs;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * An accelerator whose memory no call copies: a card gets it as a dma-buf, of which it knows where
 * the bytes are. Under its own addresses there is nothing in this process.
 */
final class ExportingDevice implements DeviceAccess {

  static final Device DEVICE = Device.of("exporting", 0);

  private static final long PAGE = 4_096;
  private static final long FIRST = 0x00ff_0000_0000_0000L;
  private static final int REFUSED = 801;

  private final FakeVerbs card;
  private final MemorySegment bytes;
  private final AtomicInteger lastDescriptor = new AtomicInteger(1_000);

  Set<DeviceWay> ways = Set.of(DeviceWay.DMA_BUF);
  boolean refusesExport;
  boolean refusesFlush;
  int flushes;
  Runnable atFlush = () -> {};

  ExportingDevice(FakeVerbs card, Arena arena, long length) {
    this(card, arena.allocate(length, PAGE));
  }

  private ExportingDevice(FakeVerbs card, MemorySegment bytes) {
    this.card = card;
    this.bytes = bytes;
  }

  /** One that has the bytes of all memory of this process, as far as there is any. */
  @SuppressWarnings("restricted")
  static ExportingDevice ofThisProcess(FakeVerbs card) {
    return new ExportingDevice(card, MemorySegment.NULL.reinterpret(Long.MAX_VALUE));
  }

  /** The memory whose bytes are these, of one that has all. */
  static DeviceMemory behind(HostMemory host) {
    return new DeviceMemory(DEVICE, FIRST + host.segment().address(), host.length());
  }

  DeviceMemory memory(long offset, long length) {
    return new DeviceMemory(DEVICE, FIRST + offset, length);
  }

  /** What is there, as nobody but a test sees it. */
  MemorySegment bytes(DeviceMemory memory) {
    return bytes.asSlice(memory.address() - FIRST, memory.length());
  }

  @Override
  public Availability availability() {
    return Availability.available();
  }

  @Override
  public List<Device> devices() {
    return List.of(DEVICE);
  }

  @Override
  public boolean isOpenToNics(Device device) {
    return !ways.isEmpty();
  }

  @Override
  public Set<DeviceWay> waysForNics(Device device) {
    return ways;
  }

  @Override
  public DmaBuf exportDmaBuf(DeviceMemory memory) {
    if (refusesExport) {
      throw new BackendException(REFUSED, "not exported");
    }
    long offset = memory.address() % PAGE;
    int descriptor = lastDescriptor.incrementAndGet();
    card.export(descriptor, bytes(memory).address() - offset);
    return new DmaBuf() {
      @Override
      public int descriptor() {
        return descriptor;
      }

      @Override
      public long offset() {
        return offset;
      }

      @Override
      public void close() {
        card.closed(descriptor);
      }
    };
  }

  @Override
  public void flush(Device device) {
    flushes++;
    atFlush.run();
    if (refusesFlush) {
      throw new BackendException(REFUSED, "not flushed");
    }
  }

  @Override
  public void copyToHost(DeviceMemory from, long at, MemorySegment to, long offset, long length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long offset, long length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long peek(DeviceMemory memory, long offset) {
    throw new UnsupportedOperationException();
  }
}
