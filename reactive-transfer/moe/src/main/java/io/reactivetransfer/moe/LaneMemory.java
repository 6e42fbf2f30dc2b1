package io.reactivetransfer.moe;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.moe.MoeMemory.Section;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The sections of one lane: as memory here, as sources of writes, and as targets at others. */
final class LaneMemory {

  private final Group group;
  private final int lane;
  private final MoeMemory[] memories;
  private final MemorySegment whole;

  LaneMemory(Group group, int lane) {
    this.group = group;
    this.lane = lane;
    memories = new MoeMemory[group.shape.ranks()];
    Arrays.setAll(memories, group.shape::memory);
    whole = ((HostMemory) group.region.memory()).segment();
  }

  private MoeMemory own() {
    return memories[group.ranks.own()];
  }

  /** All of this rank, of which the sections are parts. */
  MemorySegment whole() {
    return whole;
  }

  MemorySegment section(Section section) {
    return whole.asSlice(own().offset(lane, section), own().length(section));
  }

  /** Where experts have a section; null if that is in the host, too. */
  @Nullable DeviceMemory ofExperts(Section section) {
    DeviceMemory all = group.options.expertMemory();
    return all == null || own().length(section) == 0
        ? null
        : all.slice(own().expertOffset(lane, section), own().length(section));
  }

  MemorySlice source(Section section, long offset, long length) {
    return group.region.slice(own().offset(lane, section) + offset, length);
  }

  /** Where a section of a rank begins, in bytes from the beginning of its memory. */
  long at(int rank, Section section) {
    return memories[rank].offset(lane, section);
  }

  /** A write that is aimed in each step anew. */
  AimedWrite write(int rank, int what) {
    return write(group.region, rank, what);
  }

  /** The same, from memory of the application. */
  AimedWrite write(MemoryRegion source, int rank, int what) {
    return group.ranks.write(source, rank, lane, what);
  }

  /** Aims it from a section here to one there. */
  void aim(
      AimedWrite write,
      Section from,
      long fromOffset,
      int rank,
      Section to,
      long toOffset,
      long length) {
    write.aim(
        own().offset(lane, from) + fromOffset, memories[rank].offset(lane, to) + toOffset, length);
  }

  RemoteSlice target(int rank, Section section, long offset, long length) {
    return group.ranks.slice(rank, memories[rank].offset(lane, section) + offset, length);
  }
}
