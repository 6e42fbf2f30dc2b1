package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.StagingBuffer;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
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

  /** As CUDA has them. */
  private static final int INVALID_DEVICE = 101;

  private static final int ILLEGAL_ADDRESS = 700;

  private static final int UNKNOWN = 999;

  private static final VarHandle WORDS =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final Device device;
  private final FakeMemory allocated = new FakeMemory();
  private final AtomicLong copies = new AtomicLong();
  private long next = FIRST_ADDRESS;

  /** Copies that were begun, in order: nobody has waited for any of them. */
  private final Deque<LateCopy> begun = new ArrayDeque<>();

  /** Whether it says of no copy that it is over. */
  private volatile boolean isMute;

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
    allocated.add(next, new byte[bytes]);
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

  /**
   * From now on it says of no copy that it is over, as one whose driver refuses each call; or it
   * does so again. What is begun meanwhile comes later, or never.
   */
  public void mute(boolean on) {
    isMute = on;
  }

  /**
   * It says what became of copies.
   *
   * @throws BackendException if it does not
   */
  void requireSpeech() {
    if (isMute) {
      throw BackendException.ofUnknownEnd(
          UNKNOWN, "it does not say", new IllegalStateException("as a test wants it"));
    }
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

  /** Which allocation has the range. */
  private int find(DeviceMemory memory, long offset, long length) {
    long address = memory.address() + offset;
    int index = memory.device().equals(device) ? allocated.find(address, length) : -1;
    if (index < 0) {
      throw new BackendException(
          ILLEGAL_ADDRESS,
          "illegal address on "
              + device
              + ": "
              + length
              + " bytes of "
              + memory.device()
              + " at 0x"
              + Long.toHexString(address)
              + ", which are not allocated");
    }
    return index;
  }

  private ByteBuffer at(DeviceMemory memory, long offset, long length) {
    int index = find(memory, offset, length);
    int from = (int) (memory.address() + offset - allocated.address(index));
    return ByteBuffer.wrap(allocated.bytes(index), from, (int) length).slice();
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
    requireSpeech();
    bring(source, sourceOffset, target, targetOffset, length);
  }

  synchronized void bring(
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
    requireSpeech();
    store(source, sourceOffset, target, targetOffset, length);
  }

  synchronized void store(
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
    if (!which.equals(device)) {
      throw new BackendException(
          INVALID_DEVICE, "expected " + device + ", got " + which + ", which is another one");
    }
    return new LateBuffer(this, bytes);
  }

  @Override
  public synchronized long peek(DeviceMemory memory, long offset) {
    long address = memory.address() + offset;
    if (address % Long.BYTES != 0) {
      throw new IllegalArgumentException("expected an address that is a multiple of 8");
    }
    int index = find(memory, offset, Long.BYTES);
    return (long) WORDS.get(allocated.bytes(index), (int) (address - allocated.address(index)));
  }

  @Override
  public synchronized String toString() {
    return device + " of " + allocated.count() + " allocations";
  }
}
