package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * An accelerator for tests: memory that nobody reaches but through a {@link DeviceAccess}. Its
 * addresses are none of this process, so whoever goes by them alone touches nothing that there is.
 * Safe from any thread.
 */
public final class FakeDevice implements DeviceAccess {

  /** Beyond what a process may have: to touch it is a fault. */
  private static final long FIRST_ADDRESS = 0x00ff_0000_0000_0000L;

  /** Between two allocations. */
  private static final long GAP = 1L << 20;

  private static final long ALIGNMENT = 256;

  private final Device device;
  private final TreeMap<Long, byte[]> allocated = new TreeMap<>();
  private final AtomicLong copies = new AtomicLong();
  private long next = FIRST_ADDRESS;

  /** Copies that were begun, in order: nobody has waited for any of them. */
  private final Deque<LateCopy> begun = new ArrayDeque<>();

  /** With nothing allocated. */
  public FakeDevice(Device device) {
    this.device = device;
  }

  /** What to give to an engine, or to a NIC. */
  public Devices asDevices() {
    return Devices.of(List.of(this));
  }

  /** Takes so many bytes, all zeros. */
  public synchronized DeviceMemory allocate(int bytes) {
    DeviceMemory memory = new DeviceMemory(device, next, bytes);
    allocated.put(next, new byte[bytes]);
    next = (next + bytes + GAP) & -ALIGNMENT;
    return memory;
  }

  /** Gives memory back: whoever copies it from now on is refused. */
  public synchronized void free(DeviceMemory memory) {
    allocated.remove(memory.address());
  }

  /** The bytes as they are now. */
  public synchronized byte[] read(DeviceMemory memory) {
    byte[] bytes = new byte[(int) memory.length()];
    at(memory, 0, bytes.length).get(bytes);
    return bytes;
  }

  /** Changes the first bytes. */
  public synchronized void write(DeviceMemory memory, byte[] bytes) {
    at(memory, 0, bytes.length).put(bytes);
  }

  synchronized void begin(LateCopy copy) {
    begun.add(copy);
  }

  /** Makes all copies that were begun up to the last one of this buffer, whoever has begun them. */
  synchronized void makeAllOf(LateBuffer buffer) {
    while (begun.stream().anyMatch(copy -> copy.buffer() == buffer)) {
      begun.remove().run();
    }
  }

  /** How many copies were made. */
  public long copies() {
    return copies.get();
  }

  private ByteBuffer at(DeviceMemory memory, long offset, long length) {
    long address = memory.address() + offset;
    Map.Entry<Long, byte[]> entry = allocated.floorEntry(address);
    if (!memory.device().equals(device)
        || entry == null
        || address + length > entry.getKey() + entry.getValue().length) {
      throw new BackendException(
          700,
          "illegal address on "
              + device
              + ": "
              + length
              + " bytes at 0x"
              + Long.toHexString(address)
              + ", which are not allocated");
    }
    int from = (int) (address - entry.getKey());
    return ByteBuffer.wrap(entry.getValue(), from, (int) length).slice();
  }

  @Override
  public Availability availability() {
    return Availability.available();
  }

  @Override
  public List<Device> devices() {
    return List.of(device);
  }

  @Override
  public synchronized void copyToHost(
      DeviceMemory source,
      long sourceOffset,
      MemorySegment target,
      long targetOffset,
      long length) {
    MemorySegment from = MemorySegment.ofBuffer(at(source, sourceOffset, length));
    MemorySegment.copy(from, 0, requireNative(target), targetOffset, length);
    copies.incrementAndGet();
  }

  @Override
  public synchronized void copyFromHost(
      MemorySegment source,
      long sourceOffset,
      DeviceMemory target,
      long targetOffset,
      long length) {
    MemorySegment to = MemorySegment.ofBuffer(at(target, targetOffset, length));
    MemorySegment.copy(requireNative(source), sourceOffset, to, 0, length);
    copies.incrementAndGet();
  }

  private static MemorySegment requireNative(MemorySegment host) {
    if (!host.isNative()) {
      throw new IllegalArgumentException("expected native host memory, got a heap segment");
    }
    return host;
  }

  /** One whose copies are made when they are waited for, and not before. */
  @Override
  public StagingBuffer stagingBuffer(Device which, long bytes) {
    return new LateBuffer(this, bytes);
  }

  @Override
  public synchronized long peek(DeviceMemory memory, long offset) {
    if ((memory.address() + offset) % ValueLayout.JAVA_LONG.byteAlignment() != 0) {
      throw new IllegalArgumentException("expected an address that is a multiple of 8");
    }
    return at(memory, offset, Long.BYTES).order(ByteOrder.nativeOrder()).getLong();
  }

  @Override
  public String toString() {
    return device + " of " + allocated.size() + " allocations";
  }
}
