package io.reactivetransfer.moe;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.moe.MoeMemory.Section;
import io.reactivetransfer.spi.DeviceAccess;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How the tokens of one step after the other get from their ranks to the experts of others. What
 * has come about is noted, and {@link #advance} does whatever can be done then. Only in turns.
 */
final class Dispatch {

  private final Group group;
  private final MoeLane lane;
  private final LaneMemory memory;
  private final Arrangement arrangement;
  private final MoeShape shape;
  private final int rank;
  private final int ownGroup;

  /** The ranks to which this one sends the tokens of its group. */
  private final int[] targets;

  /** By rank, whether it is one of those. */
  private final boolean[] isTarget;

  private final MemorySegment ownRow;
  private final MemorySegment[] rows;
  private final MemorySegment send;
  private final MemorySegment privates;
  private final MemorySegment overflow;

  /** Where this rank's own tokens go, which is send order if experts compute in place. */
  private final MemorySegment output;

  /** Where experts have it, if that is on an accelerator. */
  private final @Nullable DeviceMemory deviceOutput;

  /** The same in every step: for each other rank one. */
  private final List<Transfer> rowWrites = new ArrayList<>();

  private final List<Transfer> closings = new ArrayList<>();

  /** For each target one, aimed anew in each step. */
  private final AimedWrite[] privateWrites;

  private final AimedWrite[] overflowWrites;

  private final Writes writes;
  private final Arrivals rowsCome;
  private final Arrivals tokensCome;
  private final Work staging;
  private final Work bringing;
  private final Work copying;

  /** Whoever wants the next step to be sent, when the writes of the last one are done. */
  private @Nullable Half<Void> next;

  private MemorySegment nextTokens = MemorySegment.NULL;
  private @Nullable DeviceMemory nextDeviceTokens;
  private long nextStride;
  private @Nullable MemorySlice nextRegistered;

  /** Whether NICs gather tokens that are registered. */
  private final boolean gathers;

  private final TokenSources sources;

  /** What NICs gather the tokens of this step from, and where in it they begin. */
  private @Nullable TokenSource source;

  private long sourceOffset;
  private long step;
  private MemorySegment tokens = MemorySegment.NULL;

  /** The same, if they lie on an accelerator. */
  private @Nullable DeviceMemory deviceTokens;

  /** Some of those at a time; made when there are any. */
  private @Nullable MemorySegment part;

  /** Whether those of this rank's own experts are put in send order, too. */
  private boolean areOwnStaged;

  private long stride;
  private @Nullable Half<Void> sending;
  private @Nullable Half<ExpertBatch> receiving;
  private @Nullable MoeStep receiver;
  private boolean isStaged;
  private boolean areRoutesKnown;
  private boolean areFirstSent;
  private boolean areAllSent;

  /** Whether those are with the experts, or in send order. */
  private boolean areOwnThere;

  private boolean haveTokensCome;
  private boolean isCopying;
  private boolean hasReceived;
  private @Nullable StepRefusedException refusal;
  private boolean isClosing;
  private boolean areOthersClosed;

  Dispatch(Group group, MoeLane lane, LaneMemory memory, Arrangement arrangement) {
    this.group = group;
    this.lane = lane;
    this.memory = memory;
    this.arrangement = arrangement;
    shape = group.shape;
    rank = group.ranks.own();
    ownGroup = shape.groups().groupOf(rank);
    ownRow = memory.section(Section.OWN_ROW).fill((byte) 0);
    send = memory.section(Section.SEND);
    privates = memory.section(Section.PRIVATE);
    overflow = memory.section(Section.OVERFLOW);
    output = shape.isInPlace() ? send : memory.section(Section.TOKENS);
    deviceOutput = memory.ofExperts(Section.TOKENS);
    rows = new MemorySegment[shape.ranks()];
    isTarget = new boolean[rows.length];
    MemorySegment allRows = memory.section(Section.ROWS);
    long rowBytes = RouteRow.bytes(shape);
    int[] others = new int[shape.ranks()];
    int count = 0;
    for (int other = 0; other < rows.length; other++) {
      rows[other] = allRows.asSlice(other * rowBytes, rowBytes); // of its own none is read
      if (other != rank) {
        rowWrites.add(
            WriteImm.of(
                memory.source(Section.OWN_ROW, 0, rowBytes),
                memory.target(other, Section.ROWS, rank * rowBytes, rowBytes),
                group.ranks.imm(other, lane.index(), Ranks.ROWS)));
        closings.add(
            WriteImm.of(
                memory.source(Section.OWN_ROW, 0, 0),
                memory.target(other, Section.RETURNED, 0, 0),
                group.ranks.imm(other, lane.index(), Ranks.RESULTS)));
      }
      if (shape.groups().groupOf(other) != ownGroup
          && shape.groups().sender(ownGroup, other) == rank) {
        others[count++] = other;
        isTarget[other] = true;
      }
    }
    targets = Arrays.copyOf(others, count);
    privateWrites = new AimedWrite[count];
    overflowWrites = new AimedWrite[count];
    for (int i = 0; i < count; i++) {
      privateWrites[i] = memory.write(targets[i], Ranks.TOKENS);
      overflowWrites[i] = memory.write(targets[i], Ranks.TOKENS);
    }
    int mostExperts = 0;
    for (int target : targets) {
      mostExperts = Math.max(mostExperts, shape.placement().expertsOn(target));
    }
    gathers = group.gathers((long) shape.maxTokens() * Math.min(shape.topK(), mostExperts));
    sources = new TokenSources(memory, shape, targets);
    staging = new Work(group, this::stage, this::staged);
    bringing = new Work(group, this::bringOwn, this::ownBrought);
    copying = new Work(group, this::copyToExperts, this::received);
    writes = new Writes(group, 3 * shape.ranks(), this::advance);
    rowsCome =
        new Arrivals(
            group, lane, Ranks.ROWS, group.counter(lane.index(), Ranks.ROWS), this::routesKnown);
    tokensCome =
        new Arrivals(
            group, lane, Ranks.TOKENS, group.counter(lane.index(), Ranks.TOKENS), this::haveCome);
  }

  void send(
      MemorySegment tokens,
      @Nullable DeviceMemory deviceTokens,
      long stride,
      @Nullable MemorySlice registered,
      Half<Void> half) {
    next = half;
    nextRegistered = registered;
    nextTokens = tokens;
    nextDeviceTokens = deviceTokens;
    nextStride = stride;
    advance();
  }

  void receive(MoeStep step, Half<ExpertBatch> half) {
    receiver = step;
    receiving = half;
    advance();
  }

  /** Whether the step is refused. */
  boolean isRefused() {
    return refusal != null;
  }

  /** All others have said that nothing more comes of a step that is refused. */
  void othersClosed() {
    areOthersClosed = true;
    advance();
  }

  /** How many tokens have come for the experts of this rank, its own group's included. */
  long receivedTokens() {
    return lane.table.received(rank);
  }

  /** How many tokens of this step were sent when the routes of all ranks had come. */
  long overflowTokens() {
    long late = 0;
    for (int i = 0; areAllSent && i < targets.length; i++) {
      late += lane.table.overflowPairs(ownGroup, targets[i]);
    }
    return late;
  }

  /** What is read in this step, until it was. */
  MemorySegment tokens() {
    return tokens;
  }

  /** Whether somebody still waits until all is written. */
  boolean isSending() {
    return sending != null || next != null;
  }

  /** Whether all tokens of this step are on their way: of one that is refused, the first. */
  boolean hasSent() {
    return isRefused() ? areFirstSent : areAllSent;
  }

  /** Whether this rank has said, or is saying, that nothing more comes of a refused step. */
  boolean hasClosed() {
    return isClosing;
  }

  /** Whether all tokens of this step have come: before that, results are those of the last one. */
  boolean hasReceived() {
    return hasReceived;
  }

  private void advance() {
    if (areAllSent && areOwnThere && writes.areDone() && sending != null) {
      Half<Void> done = sending;
      sending = null;
      tokens = MemorySegment.NULL;
      done.complete(null);
    }
    Half<Void> request = next;
    if (request != null && writes.areDone() && sending == null) {
      next = null;
      begin(request);
    }
    if (isStaged && !areFirstSent) {
      sendFirst();
    }
    if (refusal != null) {
      advanceRefused(refusal);
      return;
    }
    if (areFirstSent && areRoutesKnown && !areAllSent) {
      sendOverflow();
    }
    if (receiving != null
        && areOwnThere
        && haveTokensCome
        && !isCopying
        && lane.combine.arePlacesFree()) {
      isCopying = true;
      if (shape.isInPlace()) {
        received();
      } else {
        copying.begin();
      }
    }
  }

  /** Results of a step were written, all of them. */
  void resultsWritten() {
    advance();
  }

  private void begin(Half<Void> half) {
    isStaged = false;
    areRoutesKnown = false;
    areFirstSent = false;
    areAllSent = false;
    areOwnThere = false;
    haveTokensCome = false;
    isCopying = false;
    hasReceived = false;
    refusal = null;
    isClosing = false;
    areOthersClosed = false;
    step = lane.beginStep();
    if (group.failure() != null) {
      return; // somebody has left, and what is told of this step is nothing of the one before
    }
    tokens = nextTokens;
    deviceTokens = nextDeviceTokens;
    areOwnStaged = deviceTokens != null;
    stride = nextStride;
    MemorySlice registered = gathers ? nextRegistered : null;
    source = registered == null ? null : sources.of(registered.region(), stride);
    sourceOffset = registered == null ? 0 : registered.offset();
    nextTokens = MemorySegment.NULL;
    nextDeviceTokens = null;
    nextRegistered = null;
    sending = half; // who receives may wait already
    RouteRow.write(ownRow, step, lane.routing);
    sendAll(rowWrites);
    if (source == null) {
      staging.begin();
    } else {
      isStaged = true;
    }
    rowsCome.claim(shape.ranks() - 1);
  }

  /** What NICs may read besides the memory of the group, in a step that is under way. */
  @Nullable MemoryRegion source() {
    TokenSource read = source;
    return read == null || sending == null ? null : read.region();
  }

  private void sendAll(List<Transfer> prepared) {
    writes.begin(prepared.size());
    for (int i = 0; i < prepared.size(); i++) {
      writes.give(prepared.get(i));
    }
    writes.end();
  }

  /**
   * Puts the tokens in send order, so that what goes to one rank is one write. Those for this
   * rank's own experts go straight to them later; but what lies on an accelerator is copied once.
   */
  private void stage() {
    DeviceMemory from = deviceTokens;
    int count = lane.routing.tokens();
    if (from == null) {
      stage(tokens, 0, count);
      return;
    }
    MemorySegment some = part == null ? DeviceRows.part(shape.tokenBytes()) : part;
    part = some;
    DeviceAccess access = group.devices.access(from);
    for (int first = 0; first < count; ) {
      int rows = DeviceRows.fitting(some, shape.tokenBytes(), stride, count - first);
      long length = (rows - 1) * stride + shape.tokenBytes();
      access.copyToHost(from, first * stride, some, 0, length);
      stage(some, first, rows);
      first += rows;
    }
  }

  /** The same of some tokens, the first of which begins the memory. */
  private void stage(MemorySegment from, int first, int count) {
    int topK = shape.topK();
    int bytes = shape.tokenBytes();
    long to = shape.tokenStride();
    OwnRouting routing = lane.routing;
    for (int i = 0; i < count; i++) {
      int token = first + i;
      for (int pair = token * topK; pair < (token + 1) * topK; pair++) {
        int target = routing.rank(pair);
        if (isTarget[target] || (areOwnStaged && target == rank)) {
          MemorySegment.copy(from, i * stride, send, routing.place(pair) * to, bytes);
        }
      }
    }
  }

  private void staged() {
    isStaged = true;
    deviceTokens = null;
    advance();
  }

  /** Brings this rank's own tokens to its experts, or to where these take them. */
  private void bringOwn() {
    int topK = shape.topK();
    int bytes = shape.tokenBytes();
    long at = shape.tokenStride();
    OwnRouting routing = lane.routing;
    for (int token = 0; token < routing.tokens(); token++) {
      for (int pair = token * topK; pair < (token + 1) * topK; pair++) {
        if (routing.rank(pair) == rank) {
          int place = routing.place(pair);
          int row = shape.isInPlace() ? place : arrangement.rowOfOwn(place);
          MemorySegment.copy(tokens, token * stride, output, row * at, bytes);
        }
      }
    }
  }

  private void ownBrought() {
    areOwnThere = true;
    if (source == null) {
      tokens = MemorySegment.NULL;
    }
    advance();
  }

  /** Sends some pairs to one of the targets, in one write. */
  private void send(int i, AimedWrite staged, Section section, int slot, int first, int count) {
    AimedWrite write = staged;
    TokenSource from = source;
    if (from == null) {
      long at = shape.tokenStride();
      memory.aim(write, Section.SEND, first * at, targets[i], section, slot * at, count * at);
    } else {
      write = from.aim(i, sourceOffset, lane.routing, first, count, section, slot);
    }
    writes.begin(1);
    writes.give(write);
  }

  /** Nobody's routes are needed for it. */
  private void sendFirst() {
    areFirstSent = true;
    for (int i = 0; i < targets.length; i++) {
      int target = targets[i];
      int count = Math.min(lane.table.privateSlots(target), lane.routing.pairs(target));
      if (count > 0) {
        int slot = lane.table.privateSlot(ownGroup, target);
        send(i, privateWrites[i], Section.PRIVATE, slot, lane.routing.firstPair(target), count);
      }
    }
    writes.end();
  }

  private void routesKnown() {
    RouteTable.BadRow bad = lane.table.read(rows, rank, lane.routing, step);
    if (bad != null) {
      group.fail(bad.rank(), "has sent bad routes in step " + step + ": " + bad.why(), null, true);
      return;
    }
    areRoutesKnown = true;
    String why = lane.table.refusal();
    int coming;
    if (why == null) {
      arrangement.compute(lane.table);
      lane.combine.arranged();
      coming = lane.table.tokenWrites(rank);
    } else {
      refusal =
          new StepRefusedException(
              "step " + step + " of lane " + lane.index() + " is refused by all ranks: " + why);
      coming = lane.table.privateWrites(rank);
    }
    tokensCome.claim(coming);
    advance();
  }

  private void haveCome() {
    haveTokensCome = true;
    advance();
  }

  private void sendOverflow() {
    areAllSent = true;
    for (int i = 0; i < targets.length; i++) {
      int target = targets[i];
      int count = lane.table.overflowPairs(ownGroup, target);
      if (count > 0) {
        int first =
            lane.table.firstPair(ownGroup, target) + lane.table.privatePairs(ownGroup, target);
        int slot = lane.table.overflowSlot(ownGroup, target);
        send(i, overflowWrites[i], Section.OVERFLOW, slot, first, count);
      }
    }
    writes.end();
    lane.combine.aimEarly();
    if (areOwnStaged || lane.routing.pairs(rank) == 0) {
      ownBrought(); // in send order, or there are none; and there may be nothing left to write
    } else {
      bringing.begin();
    }
  }

  /**
   * Brings the tokens of each expert together: for each group, one or two runs of rows. The own
   * ones are there, unless they were staged.
   */
  private void copyToExperts() {
    long at = shape.tokenStride();
    int overflowSlot = 0;
    for (int from = 0; from < shape.groups().groups(); from++) {
      boolean isOwn = from == ownGroup;
      int first = lane.table.privatePairs(from, rank);
      int privateSlot = isOwn ? 0 : lane.table.privateSlot(from, rank);
      int pair = 0;
      for (int expert = 0; expert < arrangement.experts(); expert++) {
        int row = arrangement.row(expert, from);
        int count = lane.table.count(from, shape.placement().firstInstance(rank) + expert);
        int end = pair + count;
        if (isOwn && areOwnStaged) {
          copy(send, lane.table.firstPair(from, rank) + pair, row, count, at);
        } else if (!isOwn) {
          int early = Math.clamp(first - pair, 0, count);
          copy(privates, privateSlot + pair, row, early, at);
          int late = Math.max(pair, first) - first;
          copy(overflow, overflowSlot + late, row + early, count - early, at);
        }
        pair = end;
      }
      overflowSlot += lane.table.overflowPairs(from, rank);
    }
    if (deviceOutput != null) {
      copyToDevice(deviceOutput);
    }
  }

  /** What lies behind the rows of an expert is left as it was there, too. */
  private void copyToDevice(DeviceMemory to) {
    DeviceAccess access = group.devices.access(to);
    long at = shape.tokenStride();
    for (int expert = 0; expert < arrangement.experts(); expert = arrangement.next(expert)) {
      long row = arrangement.firstRow(expert);
      access.copyFromHost(output, row * at, to, row * at, arrangement.rowsFrom(expert) * at);
    }
  }

  private void copy(MemorySegment from, int slot, int row, int count, long at) {
    if (count > 0) {
      MemorySegment.copy(from, slot * at, output, row * at, count * at);
    }
  }

  private void received() {
    Half<ExpertBatch> done = receiving;
    MoeStep step = receiver;
    if (done != null && step != null) {
      receiving = null;
      hasReceived = true;
      step.dispatchReceived();
      lane.tokensCame();
      lane.combine.begin();
      group.batchIsThere(lane);
      done.complete(lane.batch);
    }
  }

  /**
   * No rank sends more than it has. Each says so to all when nothing is on its way to it any more,
   * and then the lane is as after any other step.
   */
  private void advanceRefused(StepRefusedException why) {
    if (areFirstSent && writes.areDone() && haveTokensCome && !isClosing) {
      isClosing = true;
      sendAll(closings);
      lane.results.claim(shape.ranks() - 1);
      return;
    }
    if (isClosing && areOthersClosed && writes.areDone() && sending != null) {
      Half<Void> sent = sending;
      Half<ExpertBatch> received = receiving;
      sending = null;
      receiving = null;
      tokens = MemorySegment.NULL;
      lane.refused(why);
      group.batchIsThere(lane);
      sent.fail(why);
      if (received != null) {
        received.fail(why);
      }
    }
  }
}
