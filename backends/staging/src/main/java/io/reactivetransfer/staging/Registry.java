package io.reactivetransfer.staging;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Memory of accelerators that is registered, by key; decides what of others may come in. */
final class Registry {

  private final Randomness random;
  private final Map<StagedKey, StagedMemory> byKey = new HashMap<>();

  /** Most pieces go where the one before went. */
  private @Nullable StagedMemory lastFound;

  Registry(Randomness random) {
    this.random = random;
  }

  StagedMemory add(DeviceMemory memory, Access access) {
    StagedMemory added = new StagedMemory(memory, access, random.key());
    byKey.put(added.stagedKey(), added);
    return added;
  }

  /** Nothing is written to it under this key any more, but for what is on its way to it. */
  void remove(StagedMemory memory) {
    memory.shut();
    byKey.remove(memory.stagedKey());
    lastFound = null;
  }

  @Nullable StagedMemory find(long high, long low) {
    StagedMemory last = lastFound;
    if (last == null || last.stagedKey().high() != high || last.stagedKey().low() != low) {
      last = byKey.get(new StagedKey(high, low));
      lastFound = last;
    }
    return last;
  }

  /** Why such a piece may not come in; null if it may. */
  static @Nullable String refusal(@Nullable StagedMemory memory, long offset, long length) {
    if (memory == null || !memory.isOpen()) {
      return "no memory under this key: it was revoked, deregistered, or never registered";
    }
    if (!memory.access().allowsRemoteWrite()) {
      return "expected memory open to REMOTE_WRITE, got " + memory.access();
    }
    if (!memory.holds(offset, length)) {
      return "expected a range within the "
          + memory.memory().length()
          + " bytes of the target, got "
          + length
          + " at "
          + offset;
    }
    return null;
  }
}
