package io.reactivetransfer.loopback;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The memory registered with one NIC, by key. Belongs to the NIC's thread. */
final class MemoryTable {

  private final LoopbackNetwork network;
  private final Map<LoopbackKey, LoopbackMemory> byKey = new HashMap<>();

  MemoryTable(LoopbackNetwork network) {
    this.network = network;
  }

  LoopbackMemory register(Memory memory, Access access) {
    return switch (memory) {
      case HostMemory host -> add(new LoopbackMemory(host.segment(), access, network.newKey()));
      case DeviceMemory device ->
          throw new BackendException(
              0,
              "loopback copies with the CPU: expected host memory, got memory of device "
                  + device.device()
                  + "; use a backend that can register device memory");
    };
  }

  /** The same memory under a new key; the old key names nothing from now on. */
  LoopbackMemory rename(LoopbackMemory memory) {
    byKey.remove(memory.name());
    return add(new LoopbackMemory(memory.segment(), memory.access(), network.newKey()));
  }

  void remove(LoopbackMemory memory) {
    byKey.remove(memory.name());
  }

  @Nullable LoopbackMemory find(LoopbackKey key) {
    return byKey.get(key);
  }

  void clear() {
    byKey.clear();
  }

  private LoopbackMemory add(LoopbackMemory memory) {
    byKey.put(memory.name(), memory);
    return memory;
  }
}
