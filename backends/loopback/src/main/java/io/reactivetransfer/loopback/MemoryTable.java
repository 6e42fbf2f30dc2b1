package io.reactivetransfer.loopback;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Devices;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The memory registered with one NIC, by key. Belongs to the NIC's thread. */
final class MemoryTable {

  private final LoopbackNetwork network;
  private final Devices devices;
  private final Map<LoopbackKey, LoopbackMemory> byKey = new HashMap<>();

  /** Some that has no key any more, and is copied for all that is known. */
  private @Nullable LoopbackMemory doubtful;

  MemoryTable(LoopbackNetwork network, Devices devices) {
    this.network = network;
    this.devices = devices;
  }

  LoopbackMemory register(Memory memory, Access access) {
    if (memory instanceof DeviceMemory device) {
      devices.access(device.device()); // or it says what is there
    }
    return add(LoopbackMemory.of(memory, devices, access, network.newKey()));
  }

  /**
   * The same memory under a new key; the old key names nothing from now on.
   *
   * @throws BackendException as {@link #remove}
   */
  LoopbackMemory rename(LoopbackMemory memory) {
    remove(memory);
    return add(memory.renamed(network.newKey()));
  }

  /**
   * Nothing is written to it under its key from now on.
   *
   * @throws BackendException if nobody knows whether it is copied
   */
  void remove(LoopbackMemory memory) {
    byKey.remove(memory.name());
    if (memory.doubt().get() != null) {
      doubtful = memory;
    }
    memory.requireQuiet();
  }

  @Nullable LoopbackMemory find(LoopbackKey key) {
    return byKey.get(key);
  }

  /**
   * Nothing is registered any more.
   *
   * @throws BackendException if nobody knows whether something is copied that was
   */
  void clear() {
    List<LoopbackMemory> all = new ArrayList<>(byKey.values());
    byKey.clear();
    if (doubtful != null) {
      all.add(doubtful);
    }
    all.forEach(LoopbackMemory::requireQuiet);
  }

  private LoopbackMemory add(LoopbackMemory memory) {
    byKey.put(memory.name(), memory);
    return memory;
  }
}
