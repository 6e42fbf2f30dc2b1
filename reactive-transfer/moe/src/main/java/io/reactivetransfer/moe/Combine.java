package io.reactivetransfer.moe;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.moe.MoeMemory.Section;
import io.reactivetransfer.spi.DeviceAccess;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * How the results of one step after the other get back to where their tokens came from. What has
 * come about is noted, and {@link #advance} does whatever can be done then. Only in turns.
 */
final class Combine {

  private final MoeLane lane;
  private final Arrangement arrangement;
  private final MoeShape shape;
  private final int rank;
  private final int ownGroup;

  /** Whether no other rank gets what this one's own group does. */
  private final boolean isAlone;

  private final Group group;

  /** Where experts put them: in the blocks themselves, if they compute in place. */
  private final MemorySegment results;

  /** Where experts put them, if that is on an accelerator. */
  private final @Nullable DeviceMemory deviceResults;

  private final MemorySegment blocks;

  /** All of this rank, in which are results of its own experts and those of others. */
  private final MemorySegment whole;

  private final WeightedSums sums;
  private final ResultPlaces places;
  private final Writes writes;
  private final @Nullable AimedWrite[] toOthers;

  /** For each group the rows of its results, if NICs gather them; nobody puts them in blocks. */
  private final @Nullable GatherList[] gathered;

  private final boolean gathers;

  /** Whether NICs read results where experts have put them. */
  private final boolean areSentFromThere;

  /** Where blocks and what experts make begin here, and what comes back at each rank. */
  private final long blocksAt;

  private final long resultsAt;

  private final long[] returnedAt;
  private final long resultStride;
  private final Work staging;
  private final Work summing;

  /** Whoever wants results to be sent, when the writes of the last step are done. */
  private @Nullable Half<Void> next;

  private @Nullable Half<Void> sending;
  private @Nullable Half<Void> receiving;
  private MemorySegment to = MemorySegment.NULL;

  /** The same, if the sums go to an accelerator. */
  private @Nullable DeviceMemory deviceTo;

  /** Some of those sums at a time; made when there are any. */
  private @Nullable MemorySegment part;

  private long stride;

  private boolean areAimed;
  private boolean isStaged;
  private boolean areResultsClaimed;
  private boolean areAllSent;
  private boolean haveResultsCome;
  private boolean isSumming;

  Combine(Group group, MoeLane lane, LaneMemory memory, Arrangement arrangement) {
    this.group = group;
    this.lane = lane;
    this.arrangement = arrangement;
    shape = group.shape;
    rank = group.ranks.own();
    ownGroup = shape.groups().groupOf(rank);
    isAlone = shape.groups().size(ownGroup) == 1;
    blocks = memory.section(Section.BLOCKS);
    results = shape.isInPlace() ? blocks : memory.section(Section.RESULTS);
    deviceResults = memory.ofExperts(Section.RESULTS);
    sums = new WeightedSums(shape);
    whole = memory.whole();
    places =
        new ResultPlaces(
            shape,
            rank,
            lane.routing,
            arrangement,
            memory.at(rank, Section.RETURNED),
            memory.at(rank, shape.isInPlace() ? Section.BLOCKS : Section.RESULTS));
    toOthers = new AimedWrite[shape.ranks()];
    blocksAt = memory.at(rank, Section.BLOCKS);
    resultsAt = memory.at(rank, Section.RESULTS);
    returnedAt = new long[toOthers.length];
    for (int other = 0; other < toOthers.length; other++) {
      returnedAt[other] = memory.at(other, Section.RETURNED);
      if (other != rank) {
        toOthers[other] = memory.write(other, Ranks.RESULTS);
      }
    }
    resultStride = shape.resultStride();
    gathered = new @Nullable GatherList[shape.groups().groups()];
    long most = (long) shape.maxTokens() * Math.min(shape.topK(), arrangement.experts());
    gathers = !shape.isInPlace() && group.gathers(most);
    areSentFromThere = shape.isInPlace() || (gathers && deviceResults == null);
    for (int of = 0; gathers && of < gathered.length; of++) {
      gathered[of] = GatherList.of(resultStride, resultStride, resultStride);
    }
    staging = new Work(group, this::stage, this::staged);
    summing = new Work(group, this::sum, this::received);
    writes = new Writes(group, shape.ranks(), this::written);
  }

  /** The tokens of a step have come; what is still out of the step before is waited for. */
  void begin() {
    isStaged = false;
    areResultsClaimed = false;
    haveResultsCome = false;
    isSumming = false;
    receiving = null;
  }

  /** Routes have come: they say where results will lie, and where they go. */
  void arranged() {
    areAimed = false;
  }

  /**
   * Tokens are on their way, so nobody waits for this thread. If writes of the step before are
   * still out, they are aimed when results are there.
   */
  void aimEarly() {
    if (!isSending() && writes.areDone()) {
      aim();
    }
  }

  private void aim() {
    areAimed = true;
    for (int of = 0; of < gathered.length; of++) {
      gather(of, gathered[of]);
    }
    for (int other = 0; other < toOthers.length; other++) {
      AimedWrite write = toOthers[other];
      if (write != null) {
        int of = shape.groups().groupOf(other);
        long to = returnedAt[other] + lane.table.firstPair(of, rank) * resultStride;
        GatherList list = gathered[of];
        if (list != null) {
          write.aim(list, resultsAt, to);
        } else {
          long from = blocksAt + arrangement.firstOfBlock(of) * resultStride;
          write.aim(from, to, arrangement.pairs(of) * resultStride);
        }
      }
    }
  }

  /** In its send order. */
  private void gather(int of, @Nullable GatherList list) {
    if (list != null) {
      list.clear();
      for (int expert = 0; expert < arrangement.experts(); expert++) {
        list.addRange(arrangement.row(expert, of), arrangement.count(expert, of));
      }
    }
  }

  void send(Half<Void> half) {
    next = half;
    lane.combining();
    advance();
  }

  void receive(MemorySegment to, @Nullable DeviceMemory deviceTo, long stride, Half<Void> half) {
    this.to = to;
    this.deviceTo = deviceTo;
    this.stride = stride;
    receiving = half;
    claimResults();
  }

  /** When this rank's own are there, too: the flag says that all are. */
  private void claimResults() {
    if (receiving != null && isStaged && !areResultsClaimed) {
      areResultsClaimed = true;
      lane.results.claim(shape.ranks() - 1);
    }
  }

  /** All results of others have. */
  void resultsCame() {
    haveResultsCome = true;
    advance();
  }

  /** What is written in this step, until it was. */
  MemorySegment sums() {
    return to;
  }

  /** Whether somebody still waits until all is written. */
  boolean isSending() {
    return sending != null || next != null;
  }

  /**
   * Whether experts may put results where those of the step before were sent from. Their ranks may
   * have got these, and have gone on, before the NIC here has done with them.
   */
  boolean arePlacesFree() {
    return !areSentFromThere || writes.areDone();
  }

  /** Whether all results of this step are on their way. */
  boolean hasSent() {
    return isStaged;
  }

  private void written() {
    advance();
    lane.dispatch.resultsWritten();
  }

  private void advance() {
    if (areAllSent && writes.areDone() && sending != null) {
      Half<Void> done = sending;
      sending = null;
      done.complete(null);
    }
    if (next != null && writes.areDone() && sending == null) {
      sending = next;
      next = null;
      areAllSent = false;
      if (areSentFromThere) {
        staged();
      } else {
        staging.begin();
      }
    }
    if (receiving != null && isStaged && haveResultsCome && !isSumming) {
      isSumming = true;
      summing.begin();
    }
  }

  /**
   * Puts the results of each group in its send order, so that they are one write, unless NICs
   * gather them. Those of one's own tokens are summed where experts have put them.
   */
  private void stage() {
    if (deviceResults != null) {
      copyFromDevice(deviceResults);
    }
    for (int group = 0; !gathers && group < shape.groups().groups(); group++) {
      if (group != ownGroup || !isAlone) {
        stage(group);
      }
    }
  }

  private void copyFromDevice(DeviceMemory from) {
    DeviceAccess access = group.devices.access(from);
    long at = resultStride;
    for (int expert = 0; expert < arrangement.experts(); expert = arrangement.next(expert)) {
      long row = arrangement.firstRow(expert);
      access.copyToHost(from, row * at, results, row * at, arrangement.rowsFrom(expert) * at);
    }
  }

  private void stage(int group) {
    long at = resultStride;
    int place = arrangement.firstOfBlock(group);
    for (int expert = 0; expert < arrangement.experts(); expert++) {
      int count = arrangement.count(expert, group);
      if (count > 0) {
        long row = arrangement.row(expert, group);
        MemorySegment.copy(results, row * at, blocks, place * at, count * at);
      }
      place += count;
    }
  }

  private void sum() {
    int count = lane.routing.tokens();
    DeviceMemory onDevice = deviceTo;
    if (onDevice == null) {
      sums.sum(whole, places, lane.weights, 0, count, to, stride);
      return;
    }
    long bytes = shape.sumBytes();
    MemorySegment some = part == null ? DeviceRows.part(bytes) : part;
    part = some;
    DeviceAccess access = group.devices.access(onDevice);
    for (int first = 0; first < count; ) {
      int rows = DeviceRows.fitting(some, bytes, bytes, count - first);
      sums.sum(whole, places, lane.weights, first, rows, some, bytes);
      if (stride == bytes) {
        access.copyFromHost(some, 0, onDevice, first * stride, rows * bytes);
      } else { // what lies between them is the caller's
        for (int row = 0; row < rows; row++) {
          access.copyFromHost(some, row * bytes, onDevice, (first + row) * stride, bytes);
        }
      }
      first += rows;
    }
  }

  private void staged() {
    isStaged = true;
    areAllSent = true;
    if (!areAimed) {
      aim();
    }
    writes.begin(shape.ranks() - 1);
    for (AimedWrite write : toOthers) {
      if (write != null) {
        writes.give(write);
      }
    }
    writes.end();
    claimResults();
    advance();
  }

  private void received() {
    Half<Void> done = receiving;
    if (done != null) {
      receiving = null;
      to = MemorySegment.NULL;
      deviceTo = null;
      lane.endStep();
      done.complete(null);
    }
  }
}
