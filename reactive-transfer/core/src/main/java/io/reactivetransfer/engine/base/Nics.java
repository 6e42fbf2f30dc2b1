package io.reactivetransfer.engine.base;

import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.Device;
import io.reactivetransfer.Nic;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.spi.Domain;
import java.util.Arrays;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The NICs of one engine: which there are, which have failed, and whether they are closed. */
public final class Nics {

  private final List<Nic> nics;
  private final NearNics near;
  private final Domain[] domains;
  private final Traffic[] traffic;
  private final Defects defects;
  private final int all;
  private volatile List<Nic> working;
  private int failed;
  private boolean closed;
  private @Nullable NotClosed notClosed;

  /**
   * They are open.
   *
   * @param near to which memory they are near
   */
  public Nics(List<Nic> nics, NearNics near, List<Domain> domains, Defects defects) {
    this.nics = List.copyOf(nics);
    this.near = near;
    this.working = this.nics;
    this.domains = domains.toArray(Domain[]::new);
    this.traffic = new Traffic[this.domains.length];
    Arrays.setAll(traffic, nic -> new Traffic());
    this.defects = defects;
    this.all = (1 << this.domains.length) - 1;
  }

  /** What drives them, by their numbers. Nobody changes it. */
  public Domain[] domains() {
    return domains;
  }

  /** How many there are. */
  public int size() {
    return domains.length;
  }

  /** Their numbers, as a set of bits. */
  public int all() {
    return all;
  }

  /** Those that are near to memory of a device, as a set of bits; all, if none is nearer. */
  public int near(Device device) {
    return near.to(device);
  }

  /** One of them. */
  public Nic nic(int nic) {
    return nics.get(nic);
  }

  /** What one of them is called. */
  public String name(int nic) {
    return nic(nic).name();
  }

  /** What is said to be the origin of what one of them reports. */
  public Origin origin(int nic, int code) {
    return new Origin(null, name(nic), code);
  }

  /** What one of them has carried. */
  public Traffic traffic(int nic) {
    return traffic[nic];
  }

  /** What each has carried. From any thread. */
  Map<Nic, TrafficStats> stats() {
    Map<Nic, TrafficStats> stats = new LinkedHashMap<>();
    for (int nic = 0; nic < traffic.length; nic++) {
      stats.put(nics.get(nic), traffic[nic].stats());
    }
    return Collections.unmodifiableMap(stats);
  }

  /** The weakest of their levels. */
  public CompletionLevel completionLevel() {
    for (Domain domain : domains) {
      if (domain.capabilities().completion() == CompletionLevel.SOURCE_FREE) {
        return CompletionLevel.SOURCE_FREE;
      }
    }
    return CompletionLevel.DELIVERED;
  }

  /** Whether all of them let nothing of a lost peer land. */
  public boolean fenceLostPeers() {
    return Arrays.stream(domains).allMatch(domain -> domain.capabilities().fencesLostPeers());
  }

  // ---- those that fail ----

  /** Uses this NIC no more; false if it had failed before. */
  public boolean fail(int nic) {
    if (hasFailed(nic)) {
      return false;
    }
    failed |= 1 << nic;
    working =
        IntStream.range(0, nics.size())
            .filter(each -> !hasFailed(each))
            .mapToObj(nics::get)
            .toList();
    return true;
  }

  /** Whether this one has failed. */
  public boolean hasFailed(int nic) {
    return (failed & 1 << nic) != 0;
  }

  /** Those that have failed, as a set of bits. */
  public int failed() {
    return failed;
  }

  /** Whether there is none left. */
  public boolean haveAllFailed() {
    return failed == all;
  }

  /** Those that have not failed. From any thread. */
  public List<Nic> working() {
    return working;
  }

  // ---- their end ----

  /** Whether they are closed. */
  public boolean isClosed() {
    return closed;
  }

  /** Closes all, whether or not one of them fails to. */
  public void close() {
    if (!closed) {
      closed = true;
      for (int nic = 0; nic < domains.length; nic++) {
        try {
          domains[nic].close();
        } catch (Throwable e) {
          defects.report("NIC " + name(nic) + " could not be closed: " + e);
          notClosed = NotClosed.nic(name(nic), e, notClosed);
          NotClosed.keep(domains[nic]);
        }
      }
    }
  }

  /** Which of them could not be closed; null if all could, or none is closed yet. */
  public @Nullable NotClosed notClosed() {
    return notClosed;
  }
}
