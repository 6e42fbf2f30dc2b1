package io.reactivetransfer.tcp;

import io.reactivetransfer.Access;
import io.reactivetransfer.Memory;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.Failure;
import io.reactivetransfer.spi.Devices;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What is registered with one NIC, by key; decides which write of others may come in. */
final class Registrations {

  private final Map<MemoryKey, TcpMemory> byKey = new HashMap<>();
  private final Supplier<MemoryKey> keys;
  private final Devices devices;
  private final Staging staging;

  /** Most writes go where the one before went. */
  private @Nullable TcpMemory lastFound;

  Registrations(Supplier<MemoryKey> keys, Devices devices, Staging staging) {
    this.keys = keys;
    this.devices = devices;
    this.staging = staging;
  }

  TcpMemory add(Memory what, Access access) {
    return add(new TcpMemory(keys.get(), what, access, devices, staging));
  }

  /**
   * The same memory under another key.
   *
   * @throws io.reactivetransfer.spi.BackendException as {@link #remove}
   */
  TcpMemory rename(TcpMemory memory) {
    remove(memory);
    return add(memory.renamed(keys.get()));
  }

  private TcpMemory add(TcpMemory memory) {
    byKey.put(memory.memoryKey(), memory);
    return memory;
  }

  /**
   * Nothing is written to it under this key when this returns, nor is it copied.
   *
   * @throws io.reactivetransfer.spi.BackendException if nobody knows whether it is copied
   */
  void remove(TcpMemory memory) {
    memory.shut();
    memory.quiet();
    byKey.remove(memory.memoryKey());
    lastFound = null;
    memory.requireQuiet();
  }

  @Nullable TcpMemory find(long high, long low) {
    TcpMemory last = lastFound;
    if (last == null || !last.memoryKey().is(high, low)) {
      last = byKey.get(new MemoryKey(high, low));
      lastFound = last;
    }
    return last;
  }

  void clear() {
    for (TcpMemory each : byKey.values()) {
      each.shut();
      each.quiet();
    }
    byKey.clear();
    lastFound = null;
  }

  /** Why such a write may not come in, or null if it may. */
  static @Nullable Failure refusal(@Nullable TcpMemory memory, long offset, long length) {
    if (memory == null) {
      return ErrorCode.UNKNOWN_KEY.because(
          "the target has no memory under this key: it was revoked, deregistered, or never there");
    }
    if (!memory.access().allowsRemoteWrite()) {
      return ErrorCode.ACCESS.because(
          "the target registered this memory for local use; register it with REMOTE_WRITE");
    }
    if (!memory.holds(offset, length)) {
      return ErrorCode.BOUNDS.because(
          "expected a write within the "
              + memory.length()
              + " bytes of the target's memory, got offset "
              + offset
              + " and length "
              + length);
    }
    return null;
  }
}
