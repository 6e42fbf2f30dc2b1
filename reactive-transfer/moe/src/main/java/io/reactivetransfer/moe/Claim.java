package io.reactivetransfer.moe;

import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * What one join has of its node until nothing of it, and of the group that comes of it, is left: a
 * name in an epoch, and memory. Safe from any thread.
 */
final class Claim {

  final GroupEpoch id;
  private final List<Part> parts;
  private final BooleanSupplier isCancelled;
  private final End released = new End();
  private volatile @Nullable Group group;

  /**
   * Memory that the group uses.
   *
   * @param what which one, for people
   */
  record Part(String what, Memory memory) {

    private long address() {
      return switch (memory) {
        case HostMemory host -> host.segment().address();
        case DeviceMemory device -> device.address();
      };
    }

    /** Whether a byte is of both. Addresses may be any, so they are compared by their distance. */
    boolean overlaps(Part other) {
      long ahead = address() - other.address();
      return memory.device().equals(other.memory.device())
          && memory.length() > 0
          && other.memory.length() > 0
          && (Long.compareUnsigned(ahead, other.memory.length()) < 0
              || Long.compareUnsigned(-ahead, memory.length()) < 0);
    }

    @Override
    public String toString() {
      String of = memory instanceof DeviceMemory device ? " of " + device.device() : "";
      return "%s (%d bytes at 0x%x%s)".formatted(what, memory.length(), address(), of);
    }
  }

  /**
   * Of a join that has no group yet.
   *
   * @param isCancelled whether nobody waits for it any more
   */
  Claim(GroupEpoch id, List<Part> parts, BooleanSupplier isCancelled) {
    this.id = id;
    this.parts = List.copyOf(parts);
    this.isCancelled = isCancelled;
  }

  /**
   * All memory that a group uses here.
   *
   * @throws IllegalArgumentException if arrival flags lie in the memory of the group
   */
  static List<Part> parts(HostMemory own, MoeMemory needed, MoeOptions options, int lanes) {
    List<Part> parts = new ArrayList<>();
    Part memory = new Part("memory", own);
    parts.add(memory);
    MemorySegment words = options.arrivalFlags();
    if (words != null) {
      HostMemory used = new HostMemory(words.asSlice(0, Flags.bytes(lanes)));
      Part flags = new Part("arrival flags", used);
      if (flags.overlaps(memory)) {
        throw new IllegalArgumentException(
            "expected arrival flags outside of the memory of the group, got "
                + flags
                + " and "
                + memory);
      }
      parts.add(flags);
    }
    DeviceMemory experts = options.expertMemory();
    if (experts != null && needed.expertBytes() > 0) {
      parts.add(new Part("memory for experts", experts.slice(0, needed.expertBytes())));
    }
    return parts;
  }

  /** The join has this group now, which has its memory. */
  void has(Group group) {
    this.group = group;
  }

  /** Whether all that is left is to give it back. */
  boolean isCancelled() {
    return isCancelled.getAsBoolean();
  }

  /** Whether not all have joined. */
  private boolean isJoining() {
    Group of = group;
    return of == null || !of.isOpen();
  }

  /** Whether another epoch of the name may follow: no step can be done in this one any more. */
  private boolean isOver() {
    Group of = group;
    return isCancelled()
        || (of != null
            && (of.failure() != null || of.release.isClosing() || of.departures.isAnyGone()));
  }

  /** Why another one cannot be had beside this one, or null. */
  @Nullable String problem(Claim wanted) {
    String problem = wanted.id.name().equals(id.name()) ? nameProblem(wanted.id) : null;
    return problem != null ? problem : memoryProblem(wanted);
  }

  private @Nullable String nameProblem(GroupEpoch wanted) {
    if (wanted.epoch() == id.epoch()) {
      return "expected a group that this engine is not in, got "
          + wanted
          + " again; close it first";
    }
    if (wanted.epoch() < id.epoch()) {
      return "expected an epoch above "
          + id.epoch()
          + " of group "
          + id.shownName()
          + ", which this engine is in, got "
          + wanted.epoch();
    }
    if (isOver()) {
      return null;
    }
    return isJoining()
        ? "expected one join of group "
            + id.shownName()
            + " at a time, got epoch "
            + wanted.epoch()
            + " while this engine joins it in epoch "
            + id.epoch()
            + "; wait until that has ended, or cancel it first"
        : "expected group "
            + id.shownName()
            + " to be over in epoch "
            + id.epoch()
            + " before this engine joins it in epoch "
            + wanted.epoch()
            + ", got one that goes on; close it first, or call regroup on it";
  }

  private @Nullable String memoryProblem(Claim wanted) {
    for (Part part : wanted.parts) {
      for (Part own : parts) {
        if (part.overlaps(own)) {
          return "expected memory that no other group uses on this engine, got "
              + part
              + " for group "
              + wanted.id
              + ", where "
              + own
              + " of group "
              + id
              + " is; "
              + (isJoining()
                  ? "wait until that join has ended, or cancel it first"
                  : "wait until close() of that one has completed");
        }
      }
    }
    return null;
  }

  /** Nothing of it is left. */
  void release() {
    released.complete();
  }

  /** Completes when nothing of it is left. */
  Mono<Void> released() {
    return released;
  }
}
