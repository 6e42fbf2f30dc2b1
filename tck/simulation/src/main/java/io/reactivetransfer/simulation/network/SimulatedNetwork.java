package io.reactivetransfer.simulation.network;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.OpenContext;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Joins the control channels and the NICs of simulated processes. What happens on it follows from
 * the seed, the {@link Weather} and what it is told to break; the same again gives the same run.
 * Belongs to one thread.
 */
public final class SimulatedNetwork {

  private final VirtualTime time;
  private final Weather weather;
  private final WireObserver observer;
  private final SplittableRandom random;
  private final Map<SimulatedAddress, SimulatedDomain> domains = new LinkedHashMap<>();
  private final Map<HostPort, SimulatedControl> controls = new LinkedHashMap<>();
  private final Map<Set<EngineId>, Long> outages = new HashMap<>();
  private long serials;

  /**
   * With nobody on it.
   *
   * @param observer is told everything
   */
  public SimulatedNetwork(VirtualTime time, Weather weather, WireObserver observer, long seed) {
    this.time = time;
    this.weather = weather;
    this.observer = observer;
    this.random = new SplittableRandom(seed);
  }

  // ---- what can be broken ----

  /** Breaks one of the links between two engines, if there is any. Either end may connect again. */
  public void cut(EngineId one, EngineId other) {
    List<LinkEnd> links = new ArrayList<>();
    for (SimulatedDomain domain : domainsOf(one)) {
      domain.ends().stream().filter(end -> end.isUpTo(other)).forEach(links::add);
    }
    if (!links.isEmpty()) {
      LinkEnd end = links.get(random.nextInt(links.size()));
      if (random.nextBoolean()) {
        end.cut();
      } else {
        end.cutWhenBusy();
      }
    }
  }

  /**
   * Breaks the session of two engines, if there is one, and for a while there is no other. Each end
   * is told in its own time, or hears nothing.
   */
  public void cutControl(EngineId one, EngineId other, long outageNanos) {
    ControlEnd end = controlEnd(one, other);
    if (end != null) {
      outages.put(Set.of(one, other), time.nanos() + outageNanos);
      observer.happened("cut", one, other.low());
      end.cut();
    }
  }

  /** Breaks the session of two engines, if there is one, and tells one of them, or neither. */
  public void halfOpen(EngineId one, EngineId other, boolean tellsOne) {
    ControlEnd end = controlEnd(one, other);
    if (end != null) {
      observer.happened("half open", one, other.low());
      end.halfOpen(tellsOne);
    }
  }

  /** Makes the session of two engines slow, if there is one, in one direction. */
  public void slowDown(EngineId one, EngineId other) {
    ControlEnd end = controlEnd(one, other);
    if (end != null) {
      end.slowDown();
    }
  }

  /** Takes a NIC out of service for a while: all its links break, and no new one comes about. */
  public void failNic(EngineId engine, int nic, long outageNanos) {
    for (SimulatedDomain domain : domainsOf(engine)) {
      if (domain.where().nic() == nic) {
        domain.goDown(outageNanos);
      }
    }
  }

  /** Breaks a NIC for good, unless it is the last one of its engine; whether it did. */
  public boolean breakNic(EngineId engine) {
    List<SimulatedDomain> sound =
        domainsOf(engine).stream().filter(domain -> !domain.isBroken()).toList();
    if (sound.size() < 2) {
      return false;
    }
    sound.get(random.nextInt(sound.size())).breakDown();
    return true;
  }

  /** Has one of an engine's NICs refuse a registration, the so many-th from now on. */
  public void refuseRegistration(EngineId engine, int call) {
    List<SimulatedDomain> all = domainsOf(engine);
    if (!all.isEmpty()) {
      all.get(random.nextInt(all.size())).refuseRegistration(call);
    }
  }

  /** Has all that an engine has opened vanish, as when its process was killed. */
  public void kill(EngineId engine) {
    boolean silent = Weather.happens(weather.silent(), random);
    SimulatedControl control = controlOf(engine);
    if (control != null) {
      control.vanish(silent);
    }
    domainsOf(engine).forEach(domain -> domain.vanish(silent));
  }

  // ---- what can be asked ----

  /** How many writes may still read these bytes, or were not reported as ended. */
  public long readersOf(MemorySegment memory, long offset, long length) {
    long begin = memory.address() + offset;
    long readers = 0;
    for (SimulatedDomain domain : domains.values()) {
      for (LinkEnd end : domain.ends()) {
        readers += end.readersOf(begin, begin + length);
      }
    }
    return readers;
  }

  /** How many NICs are open. */
  public int openNics() {
    return domains.size();
  }

  /** How many control channels are open. */
  public int openControls() {
    return controls.size();
  }

  // ---- for its parts ----

  SimulatedControl openControl(ControlContext context, SimulatedProcess process) {
    SimulatedControl control = new SimulatedControl(this, process, context, random.nextLong());
    if (controls.putIfAbsent(control.address(), control) != null) {
      throw new BackendException(0, control.address() + " is taken");
    }
    return control;
  }

  void remove(SimulatedControl control) {
    controls.remove(control.address(), control);
  }

  /** Who answers there now. */
  @Nullable SimulatedControl control(HostPort address) {
    return controls.get(address);
  }

  /** Whether nothing of what one of them dials comes to the other. */
  boolean isCutOff(EngineId one, EngineId other) {
    return one.equals(other) || outages.getOrDefault(Set.of(one, other), 0L) > time.nanos();
  }

  private @Nullable SimulatedControl controlOf(EngineId engine) {
    return controls.values().stream()
        .filter(control -> control.engine().equals(engine))
        .findFirst()
        .orElse(null);
  }

  private @Nullable ControlEnd controlEnd(EngineId one, EngineId other) {
    SimulatedControl control = controlOf(one);
    return control == null ? null : control.endTo(other);
  }

  SimulatedDomain open(OpenContext context, int place) {
    SimulatedAddress address = new SimulatedAddress(context.engine(), place, context.nicIndex());
    if (domains.keySet().stream().anyMatch(address::isWhere)) {
      throw new BackendException(0, address + " is open already");
    }
    SimulatedDomain domain = new SimulatedDomain(this, address, context, random.nextLong());
    domains.put(address, domain);
    return domain;
  }

  void remove(SimulatedDomain domain) {
    domains.remove(domain.where(), domain);
  }

  /** Who answers there; nobody, if another engine has taken the place. */
  @Nullable SimulatedDomain find(SimulatedAddress address) {
    return domains.get(address);
  }

  private List<SimulatedDomain> domainsOf(EngineId engine) {
    return domains.values().stream().filter(it -> it.where().engine().equals(engine)).toList();
  }

  long newSerial() {
    return ++serials;
  }

  VirtualTime time() {
    return time;
  }

  Weather weather() {
    return weather;
  }

  WireObserver observer() {
    return observer;
  }

  SplittableRandom random() {
    return random;
  }
}
