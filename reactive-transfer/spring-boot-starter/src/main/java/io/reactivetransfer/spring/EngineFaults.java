package io.reactivetransfer.spring;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.Nic;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Remembers why NICs have failed, which engines tell once only. From any thread. */
final class EngineFaults implements EngineRecorder {

  private record NicOf(EngineId engine, String nic) {}

  private final Map<NicOf, String> reasons = new ConcurrentHashMap<>();

  @Override
  public void nicFailed(EngineId engine, Nic nic, String reason) {
    reasons.put(new NicOf(engine, nic.name()), reason);
  }

  /** Why a NIC has failed, as far as it was told. */
  String reasonOf(EngineId engine, Nic nic) {
    return reasons.getOrDefault(new NicOf(engine, nic.name()), "the log says why");
  }
}
