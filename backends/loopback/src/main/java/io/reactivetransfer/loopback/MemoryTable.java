package io.reactivetransfer.loopback;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Devices;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The memory registered with one NIC, by key. Belongs to the NIC's thread. */
final class MemoryTable {

  private final LoopbackNetwork network;
  private final Devices devices;
  private final Map<LoopbackKey, LoopbackMemory> byKey = new HashMap<>();

  MemoryTable(LoopbackNetwork network, Devices devices) {
    this.network = network;
    this.devices = devices;
  }

  LoopbackMemory register(Memory memory, Access access) {
    if (memory instanceof DeviceMemory device) {
      devices.access(device.device()); // or it says what is there
    }
    return add(new LoopbackMemory(memory, devices, access, network.newKey()));
  }

  /** The same memory under a new key; the old key names nothing from now on. */
  LoopbackMemory rename(LoopbackMemory memory) {
    byKey.remove(memory.name());
    return add(memory.renamed(network.newKey()));
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
