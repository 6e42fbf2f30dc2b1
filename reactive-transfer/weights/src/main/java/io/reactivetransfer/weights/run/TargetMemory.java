package io.reactivetransfer.weights.run;

import io.reactivetransfer.Imm;
import io.reactivetransfer.RemoteRegion;
import java.util.List;
import java.util.Objects;

/**
 * Where an update goes at one inference rank, and what is counted there: each write to it is one
 * arrival, so {@link io.reactivetransfer.weights.plan.RoutingTable#arrivals()} says when all of
 * them have come.
 *
 * @param regions its memory, in the order of the regions of its description
 * @param imm the immediate that all writes to it carry
 */
public record TargetMemory(List<RemoteRegion> regions, Imm imm) {

  private static final TargetMemory NONE = new TargetMemory(List.of(), new Imm(0));

  /** Keeps the list as it is. */
  public TargetMemory {
    regions = List.copyOf(regions);
    Objects.requireNonNull(imm, "imm");
  }

  /** Stands for an inference rank that an update leaves out: nothing is written to it. */
  public static TargetMemory none() {
    return NONE;
  }

  /** Whether an update leaves it out. */
  public boolean isNone() {
    return equals(NONE);
  }
}
