package io.reactivetransfer.moe;

import io.reactivetransfer.Transfer;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.moe.MoeMemory.Section;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the results of one step after the other get back to where their tokens came from. What has
 * come about is noted, and {@link #advance} does whatever can be done then. Only in turns.
 */
final class Combine {

  private final Group group;
  private final MoeLane lane;
  private final LaneMemory memory;
  private final Arrangement arrangement;
  private final MoeShape shape;
  private final int rank;
  private final int ownGroup;
  private final MemorySegment results;
  private final MemorySegment blocks;
  private final MemorySegment returned;
  private final WeightedSums sums;
  private final List<Transfer> writes = new ArrayList<>();

  /** Whoever wants results to be sent, when the writes of the last step are done. */
  private @Nullable Half<Void> next;

  private @Nullable Half<Void> sending;
  private @Nullable Half<Void> receiving;
  private MemorySegment to = MemorySegment.NULL;
  private long stride;

  /** Streams of writes that are not done. */
  private int out;

  private boolean isStaged;
  private boolean areAllSent;
  private boolean haveResultsCome;
  private boolean isSumming;

  Combine(Group group, MoeLane lane, LaneMemory memory, Arrangement arrangement) {
    this.group = group;
    this.lane = lane;
    this.memory = memory;
    this.arrangement = arrangement;
    shape = group.shape;
    rank = group.ranks.own();
    ownGroup = shape.groups().groupOf(rank);
    results = memory.section(Section.RESULTS);
    blocks = memory.section(Section.BLOCKS);
    returned = memory.section(Section.RETURNED);
    sums = new WeightedSums(shape);
  }

  /** The tokens of a step have come; what is still out of the step before is waited for. */
  void begin() {
    isStaged = false;
    haveResultsCome = false;
    isSumming = false;
    receiving = null;
  }

  void send(Half<Void> half) {
    next = half;
    advance();
  }

  void receive(MemorySegment to, long stride, Half<Void> half) {
    this.to = to;
    this.stride = stride;
    receiving = half;
    group.claim(
        lane,
        Ranks.RESULTS,
        shape.ranks() - 1,
        () -> {
          haveResultsCome = true;
          advance();
        });
  }

  /** Whether somebody still waits until all is written. */
  boolean isSending() {
    return sending != null || next != null;
  }

  /** Whether all results of this step are on their way. */
  boolean hasSent() {
    return isStaged;
  }

  private void advance() {
    if (areAllSent && out == 0 && sending != null) {
      Half<Void> done = sending;
      sending = null;
      done.complete(null);
    }
    if (next != null && out == 0 && sending == null) {
      sending = next;
      next = null;
      areAllSent = false;
      group.work(this::stage, this::staged);
    }
    if (receiving != null && isStaged && haveResultsCome && !isSumming) {
      isSumming = true;
      group.work(() -> sums.sum(lane.routing, lane.weights, returned, to, stride), this::received);
    }
  }

  /** Puts the results of each group in its send order, so that they are one write. */
  private void stage() {
    long at = shape.resultStride();
    for (int group = 0; group < shape.groups().groups(); group++) {
      int place = arrangement.firstOfBlock(group);
      for (int expert = 0; expert < arrangement.experts(); expert++) {
        int count = lane.table.count(group, shape.placement().firstInstance(rank) + expert);
        if (count > 0) {
          long row = arrangement.row(expert, group);
          MemorySegment.copy(results, row * at, blocks, place * at, count * at);
        }
        place += count;
      }
    }
    MemorySegment.copy(
        blocks,
        arrangement.firstOfBlock(ownGroup) * at,
        returned,
        lane.table.firstPair(ownGroup, rank) * at,
        lane.table.pairs(ownGroup, rank) * at);
  }

  private void staged() {
    isStaged = true;
    areAllSent = true;
    writes.clear();
    long at = shape.resultStride();
    for (int other = 0; other < shape.ranks(); other++) {
      if (other != rank) {
        int of = shape.groups().groupOf(other);
        long bytes = lane.table.pairs(of, rank) * at;
        writes.add(
            WriteImm.of(
                memory.source(Section.BLOCKS, arrangement.firstOfBlock(of) * at, bytes),
                memory.target(other, Section.RETURNED, lane.table.firstPair(of, rank) * at, bytes),
                group.ranks.imm(other, lane.index(), Ranks.RESULTS)));
      }
    }
    out++;
    group.submit(
        writes,
        () -> {
          out--;
          advance();
        });
    advance();
  }

  private void received() {
    Half<Void> done = receiving;
    if (done != null) {
      receiving = null;
      to = MemorySegment.NULL;
      lane.endStep();
      done.complete(null);
    }
  }
}
