package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.ForwardingCalls;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.version.FilledBuffer;
import io.reactivetransfer.weights.version.VersionLease;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsRankBuilder;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An inference rank: its buffers, who reads them, and what must be in them. */
final class Serving extends Role {

  private static final byte POISON = (byte) 0xa5;

  private static final long LONGEST_PAUSE_NANOS = 300_000;

  private final SplittableRandom random;
  private final List<List<Strip>> buffers = new ArrayList<>();

  /** How many leases of each buffer are open. */
  private final int[] leases = new int[2];

  /** Of each buffer, which version is written to it now, or was last. */
  private final long[] wanted = new long[2];

  /** By buffer, whose update it was opened to last. */
  private final @Nullable Attempt[] writers = new Attempt[2];

  /** And how far that update is, if mesh groups take turns. */
  private final @Nullable Turns[] turns = new Turns[2];

  /** And whether all that it writes is damaged on the way. */
  private final boolean[] damaged = new boolean[2];

  /** What it reads to fill others, or has read: open while it may. */
  private final List<MemoryRegion> fills = new ArrayList<>();

  private boolean isFirst;
  private @Nullable TransferEngine engine;
  private @Nullable Checksums checksums;
  private @Nullable TrainerService filler;
  private @Nullable Life life;
  private boolean isBusy;
  private boolean retires;

  Serving(WeightsNode node, int index, boolean isFirst, SplittableRandom random) {
    super(node, index);
    this.random = random;
    this.isFirst = isFirst;
    List<RegionSpec> specs = world.model().targets().get(index).rank().regions();
    for (int buffer = 0; buffer < (world.forecast().twoBuffers() ? 2 : 1); buffer++) {
      List<Strip> strips = new ArrayList<>();
      for (int region = 0; region < specs.size(); region++) {
        strips.add(new Strip(this, buffer, region, specs.get(region).bytes()));
      }
      buffers.add(strips);
    }
  }

  String name() {
    return "rank-" + index;
  }

  /** The one that is open; null if none is. */
  @Nullable Life life() {
    return life;
  }

  @Override
  Mono<Void> register(TransferEngine opened) {
    engine = opened;
    return Mono.empty();
  }

  @Override
  int regions() {
    return 0;
  }

  @Override
  void begin(TransferEngine opened) {
    settle();
  }

  // Its lives

  /** Closes the rank, and opens another one when nobody reads any more. */
  void reopen() {
    Life old = life;
    if (old == null || isBusy) {
      return;
    }
    isBusy = true;
    closeBoth(old)
        .subscribe(
            new Waiter<Void>(node, "close of the rank", true) {
              @Override
              void end(@Nullable Throwable failure) {
                world
                    .referee()
                    .require(
                        failure != null || fills.stream().allMatch(MemoryRegion::isClosed),
                        Serving.this + " is closed, and others are filled from it");
                closeChecksums();
                isBusy = false;
                life = null;
                settle();
              }
            });
    old.closed();
  }

  private Mono<Void> closeBoth(Life old) {
    TrainerService fills = filler;
    filler = null;
    return fills == null ? old.rank.close() : Mono.whenDelayError(fills.close(), old.rank.close());
  }

  private void closeChecksums() {
    Checksums comparing = checksums;
    if (comparing != null) {
      comparing.close();
      checksums = null;
    }
  }

  @Override
  void retire() {
    retires = true;
    reopen();
  }

  @Override
  boolean isRetired() {
    return retires && life == null && !isBusy;
  }

  @Override
  boolean isReady() {
    return life != null && !isBusy;
  }

  void settle() {
    if (life == null && !isBusy && !retires && node.isUp() && leases[0] + leases[1] == 0) {
      isBusy = true;
      open();
    }
  }

  private void open() {
    TransferEngine on = engine;
    if (on == null) {
      return;
    }
    long version = world.laboratory().version();
    boolean hasVersion = isFirst ? world.forecast().begun() : random.nextInt(3) == 0;
    isFirst = false;
    buffers.forEach(strips -> strips.forEach(strip -> strip.memory.fill(POISON)));
    fills.clear();
    TransferEngine shown = Noticing.localRegions(world.tampering().rank(slowly(on)), fills::add);
    WeightsRankBuilder builder =
        WeightsRank.on(shown, name())
            .timers(node.timers())
            .incarnation(world.tampering().incarnation(world.newNumber()));
    for (int buffer = 0; buffer < buffers.size(); buffer++) {
      List<Strip> strips = buffers.get(world.tampering().buffer(buffer));
      builder.buffer(
          WeightsBuffer.of(
              strips.stream().map(strip -> strip.memory).toArray(MemorySegment[]::new)));
    }
    if (hasVersion) {
      load(version);
      builder.version(version);
    }
    if (world.forecast().checksums()) {
      Checksums comparing =
          Checksums.open(shown, Duration.ofSeconds(1), node.timers(), node.scheduler());
      checksums = comparing;
      Function<FilledBuffer, Publisher<?>> verifier = comparing::apply;
      builder.verify(world.tampering().verifier(verifier));
    } else {
      builder.unverified();
    }
    world
        .tampering()
        .built(builder)
        .open()
        .subscribe(
            new Waiter<WeightsRank>(node, "open of the rank", true) {
              @Override
              void next(WeightsRank made) {
                life = new Life(Serving.this, made);
                openFiller(made);
              }

              @Override
              void end(@Nullable Throwable failure) {
                isBusy = false;
                if (failure != null) {
                  closeChecksums();
                }
                if (failure != null && node.isUp()) {
                  node.act(world.forecast().slackNanos() / 20, Serving.this::settle);
                }
              }
            });
  }

  /** Its own writes are some time apart, so that much may happen until others are filled. */
  @SuppressWarnings("unchecked") // that is what it is called with
  private TransferEngine slowly(TransferEngine on) {
    if (world.forecast().calm() || !world.forecast().replicas()) {
      return on;
    }
    return ForwardingCalls.of(
        TransferEngine.class,
        on,
        "submit",
        args ->
            on.submit(
                Flux.from((Publisher<Transfer>) args[0])
                    .concatMap(
                        write ->
                            Mono.delay(
                                    Duration.ofNanos(random.nextLong(LONGEST_PAUSE_NANOS)),
                                    node.scheduler())
                                .thenReturn(write),
                        1)));
  }

  private void openFiller(WeightsRank rank) {
    if (world.forecast().replicas() && node.isUp()) {
      RunOptions options =
          RunOptions.builder()
              .deadline(Duration.ofSeconds(60))
              .scheduler(node.scheduler())
              .timers(node.timers())
              .build();
      filler = world.tampering().filler(rank, world.model().fillTable(index), options);
    }
  }

  /** Its application has brought this version itself. */
  private void load(long version) {
    byte[][] bytes = world.contents().target(version, index);
    for (Strip strip : buffers.getFirst()) {
      byte[] content = bytes[strip.region];
      MemorySegment.copy(content, 0, strip.memory, ValueLayout.JAVA_BYTE, 0, content.length);
    }
  }

  // Who reads

  void leaseOpened(int buffer) {
    leases[buffer]++;
  }

  /** How many leases of a buffer are open. */
  int leases(int buffer) {
    return leases[buffer];
  }

  void leaseClosed(int buffer) {
    leases[buffer]--;
  }

  /** All that a lease shows must be of its version. */
  void verify(VersionLease lease, String how) {
    byte[][] expected = world.contents().target(lease.version(), index);
    byte[][] used = world.contents().used(index);
    for (Strip strip : buffers.get(lease.buffer())) {
      byte[] right = expected[strip.region];
      byte[] counts = used[strip.region];
      for (int at = 0; at < right.length; at++) {
        if (counts[at] != 0 && strip.memory.get(ValueLayout.JAVA_BYTE, at) != right[at]) {
          world
              .referee()
              .violated(
                  this
                      + " "
                      + how
                      + " version "
                      + lease.version()
                      + ", and byte "
                      + at
                      + " of "
                      + strip
                      + " is not of that version");
          return;
        }
      }
    }
  }

  // What NICs do

  @Override
  void reading(Strip strip, long offset, long length) {
    if (!node.isKilled() && !isFilledFrom(strip)) {
      world.referee().violated("a NIC reads " + strip + ", and no other rank is filled from it");
    }
  }

  @Override
  void writing(Strip strip, long offset, long length) {
    if (node.isKilled()) {
      return;
    }
    Life now = life;
    if (leases[strip.buffer] > 0) {
      world.referee().violated("a NIC writes to " + strip + ", which somebody has leased");
    }
    if (isFilledFrom(strip)) {
      world.referee().violated("a NIC writes to " + strip + ", and others are filled from it");
    }
    if (now != null && now.gives(strip.buffer)) {
      world.referee().violated("a NIC writes to " + strip + ", which is served");
    }
    byte[] counts = world.contents().used(index)[strip.region];
    for (long at = offset; at < offset + length; at++) {
      if (counts[(int) at] == 0) {
        world.referee().violated("a NIC writes byte " + at + " of " + strip + ", which is a gap");
        return;
      }
    }
    requireTurn(strip, offset, length);
    world.landing(() -> written(strip, offset, length));
    world.laboratory().written();
  }

  /** All ranks of the trainer have written the mesh groups before the one of these bytes. */
  private void requireTurn(Strip strip, long offset, long length) {
    Turns now = turns[strip.buffer];
    for (long at = offset; now != null && at < offset + length; at++) {
      int group = now.notOver(index, strip.region, at);
      if (group != Groups.NONE) {
        world
            .referee()
            .violated(
                "a NIC writes byte "
                    + at
                    + " of "
                    + strip
                    + ", and mesh group "
                    + world.model().table().groups().get(group)
                    + ", whose turn comes before, is not over");
        return;
      }
    }
  }

  private boolean isFilledFrom(Strip strip) {
    return fills.stream()
        .anyMatch(region ->
            !region.isClosed()
                && region.memory() instanceof HostMemory host
                && host.segment().address() == strip.memory.address());
  }

  /** All its ranks are open to an update: whatever comes of those before it is refused. */
  void opened(int buffer, Attempt attempt, @Nullable Turns inTurn) {
    wanted[buffer] = Math.max(wanted[buffer], attempt.version);
    writers[buffer] = attempt;
    turns[buffer] = inTurn;
    damaged[buffer] =
        world.forecast().checksums() && !world.isHealed() && world.tampering().damages();
    if (damaged[buffer]) {
      world.damaged();
    }
  }

  /**
   * A NIC has written these bytes. What comes late of an update that was given up may be anything,
   * since its trainers may have gone on before they were told to write: nobody is served it.
   */
  private void written(Strip strip, long offset, long length) {
    byte[] right = world.contents().target(wanted[strip.buffer], index)[strip.region];
    Attempt writer = writers[strip.buffer];
    boolean isNobodys = writer != null && writer.isGivenUp();
    for (long at = offset; !isNobodys && at < offset + length; at++) {
      if (strip.memory.get(ValueLayout.JAVA_BYTE, at) != right[(int) at]) {
        world
            .referee()
            .violated(
                "a NIC wrote byte "
                    + at
                    + " of "
                    + strip
                    + ", and it is not of version "
                    + wanted[strip.buffer]
                    + ", which is written");
        return;
      }
    }
    Turns now = turns[strip.buffer];
    for (long at = offset; at < offset + length; at++) {
      if (now != null) {
        now.come(index, strip.region, at);
      }
      if (damaged[strip.buffer]) {
        byte came = strip.memory.get(ValueLayout.JAVA_BYTE, at);
        strip.memory.set(ValueLayout.JAVA_BYTE, at, (byte) ~came);
      }
    }
  }

  @Override
  public String toString() {
    return node.toString();
  }
}
