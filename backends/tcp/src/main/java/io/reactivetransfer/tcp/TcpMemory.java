package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.MemoryFaults;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** Memory registered with one NIC, under one key. */
final class TcpMemory implements LocalMemory {

  private final MemoryKey key;
  private final Memory memory;
  private final Access access;

  /** Reaches it, if the CPU does not; it is copied then, to and from what the sockets take. */
  private final @Nullable DeviceAccess device;

  /**
   * Buffers for that, while the NIC's thread does something else; only of memory that is copied.
   */
  private final @Nullable Staging staging;

  private boolean open = true;

  /** Why nobody knows whether a copy from it or to it goes on. */
  private @Nullable BackendException doubt;

  /** Made when they are needed, once: a buffer for each write would be garbage for each. */
  private final @Nullable MemoryWindow[] windows;

  /**
   * Of this memory.
   *
   * @throws BackendException if it is of an accelerator that cannot be reached
   */
  TcpMemory(MemoryKey key, Memory memory, Access access, Devices devices, Staging staging) {
    this.key = key;
    this.memory = memory;
    this.access = access;
    this.device = memory instanceof DeviceMemory it ? devices.access(it.device()) : null;
    this.staging = device == null ? null : staging;
    this.windows =
        new @Nullable
            MemoryWindow[memory instanceof HostMemory ? MemoryWindow.count(memory.length()) : 0];
  }

  private TcpMemory(MemoryKey key, TcpMemory other) {
    this.key = key;
    this.memory = other.memory;
    this.access = other.access;
    this.device = other.device;
    this.staging = other.staging;
    this.windows = new @Nullable MemoryWindow[other.windows.length];
  }

  /** The same memory, open, under another key. */
  TcpMemory renamed(MemoryKey newKey) {
    return new TcpMemory(newKey, this);
  }

  @Override
  public byte[] key() {
    return key.encode();
  }

  MemoryKey memoryKey() {
    return key;
  }

  long length() {
    return memory.length();
  }

  /** Whether it has to be copied to be sent, or to be received. */
  boolean isCopied() {
    return device != null;
  }

  /** What it is, if it is copied. */
  DeviceMemory deviceMemory() {
    return (DeviceMemory) memory;
  }

  /** A buffer to send it from, or to receive it in; null if there is none, or no need for one. */
  @Nullable Staged stage() {
    return staging == null ? null : staging.take(this);
  }

  /** The same, only if others are left for more. */
  @Nullable Staged stageIfPlenty() {
    return staging == null || !staging.hasPlenty() ? null : staging.take(this);
  }

  /** Waits until no copy to it, or from it, is under way. */
  void quiet() {
    if (staging != null) {
      staging.quiet(this);
    }
  }

  /** Nobody knows whether a copy from it or to it goes on, since its accelerator refused to say. */
  void doubt(BackendException why) {
    doubt = doubt == null ? why : doubt;
    if (staging != null) {
      staging.doubt(why);
    }
  }

  /**
   * Nothing is on its way from it or to it.
   *
   * @throws BackendException if nobody knows that
   */
  void requireQuiet() {
    BackendException why = doubt;
    if (why != null) {
      throw new BackendException(
          why.code(),
          "expected memory of which nothing is copied any more, got some of which "
              + deviceMemory().device()
              + " does not say so, and may read or write it until the process ends: "
              + why.getMessage(),
          why);
    }
  }

  private BackendException remembered(BackendException why) {
    if (!why.isOver()) {
      doubt(why);
    }
    return why;
  }

  Access access() {
    return access;
  }

  /** Whether remote writes under this key may still change it. */
  boolean isOpen() {
    return open;
  }

  /** Ends remote access. The bytes can still be read, by own writes that are under way. */
  void shut() {
    open = false;
  }

  /**
   * Whether it was not freed, which the application may do although it is registered. Of an
   * accelerator's that shows when it is copied.
   */
  boolean isAlive() {
    return !(memory instanceof HostMemory host) || host.segment().scope().isAlive();
  }

  boolean holds(long offset, long length) {
    return offset >= 0 && length >= 0 && offset <= memory.length() - length;
  }

  /**
   * The bytes of a write, for sending; {@linkplain MemoryView#recycle to be recycled}. The memory
   * is neither copied nor ever freed by it.
   */
  MemoryView source(long offset, int length) {
    return window(offset).view().full(MemoryWindow.within(offset), length);
  }

  /** Some of the bytes of a write, for sending; nobody looks at it when it was released. */
  MemoryView part(long offset, int length) {
    return window(offset).view().part(MemoryWindow.within(offset), length);
  }

  /** An empty view for taking bytes in, or null if it is gone, or has to be copied. */
  @Nullable MemoryView sink(long offset, int length) {
    return device == null && isAlive()
        ? window(offset).view().empty(MemoryWindow.within(offset), length)
        : null;
  }

  /**
   * Takes bytes in. The JDK copies, which keeps the memory from being freed meanwhile; Netty would
   * go by the address.
   *
   * @throws IllegalStateException if the memory was freed
   * @throws BackendException if an accelerator refuses
   */
  void fill(long offset, ByteBuf in, int length) {
    int from = in.readerIndex();
    ByteBuffer bytes =
        in.nioBufferCount() == 1 ? in.internalNioBuffer(from, length) : in.nioBuffer(from, length);
    if (device != null) {
      try {
        copyToDevice(device, MemorySegment.ofBuffer(bytes), offset);
      } catch (BackendException e) {
        throw remembered(e);
      }
      in.readerIndex(from + length);
      return;
    }
    window(offset).range(MemoryWindow.within(offset), length).put(bytes);
    MemoryFaults.report(length);
    in.readerIndex(from + length);
  }

  /**
   * Copies bytes out, to where there is room for them; as above.
   *
   * @throws IllegalStateException if the memory was freed
   * @throws BackendException if an accelerator refuses
   */
  void copyTo(ByteBuf out, long offset, int length) {
    int to = out.writerIndex();
    if (device != null) {
      MemorySegment bytes = MemorySegment.ofBuffer(out.internalNioBuffer(to, length));
      try {
        device.copyToHost((DeviceMemory) memory, offset, bytes, 0, length);
      } catch (BackendException e) {
        throw remembered(e);
      }
      out.writerIndex(to + length);
      return;
    }
    out.internalNioBuffer(to, length)
        .put(window(offset).range(MemoryWindow.within(offset), length));
    MemoryFaults.report(length);
    out.writerIndex(to + length);
  }

  private void copyToDevice(DeviceAccess reach, MemorySegment bytes, long offset) {
    DeviceMemory target = (DeviceMemory) memory;
    if (bytes.isNative()) {
      reach.copyFromHost(bytes, 0, target, offset, bytes.byteSize());
      return;
    }
    try (Arena arena = Arena.ofConfined()) { // TLS of the JDK decrypts into the heap
      MemorySegment stage = arena.allocate(Math.max(1, bytes.byteSize())).copyFrom(bytes);
      reach.copyFromHost(stage, 0, target, offset, bytes.byteSize());
    }
  }

  private MemoryWindow window(long offset) {
    int index = (int) (offset >>> MemoryWindow.SHIFT);
    MemoryWindow window = windows[index];
    if (window == null) {
      window = new MemoryWindow(((HostMemory) memory).segment(), index);
      windows[index] = window;
    }
    return window;
  }
}
