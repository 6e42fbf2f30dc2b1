package io.reactivetransfer.weights.version;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.internal.Accelerators;
import io.reactivetransfer.weights.internal.Opening;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;
import reactor.util.Logger;
import reactor.util.Loggers;

/** What a {@link WeightsRank} is opened with. Not safe for two threads at once. */
public final class WeightsRankBuilder {

  private static final Logger LOG = Loggers.getLogger(WeightsRankBuilder.class);

  final TransferEngine engine;
  final String name;
  final List<WeightsBuffer> buffers = new ArrayList<>();
  long version = -1;
  Scheduler timers = Schedulers.parallel();
  long incarnation;

  /** What the application has said that looks at updates; null if it has said nothing of it. */
  @Nullable Function<? super FilledBuffer, ? extends Publisher<?>> verifier;

  /** Whether the rank compares checksums by itself. */
  boolean comparesSums = true;

  VersionRecorder recorder = VersionRecorder.NONE;

  Machines machines = RankMachine::new;

  /** Makes what decides; another one only where mistakes are looked for. */
  interface Machines {
    RankMachine<Peer> make(MemberId member, int buffers, RankMachine.Actions<Peer> actions);
  }

  WeightsRankBuilder(TransferEngine engine, String name) {
    this.engine = engine;
    this.name = name;
  }

  /**
   * Adds a buffer: one is enough for updates in place, two are needed for the others. A second one
   * has regions of the same lengths as the first.
   */
  public WeightsRankBuilder buffer(WeightsBuffer buffer) {
    Objects.requireNonNull(buffer, "buffer");
    if (buffers.size() == 2) {
      throw new IllegalArgumentException("expected 1 or 2 buffers, got 3");
    }
    if (buffers.size() == 1 && !lengths(buffers.getFirst()).equals(lengths(buffer))) {
      throw new IllegalArgumentException(
          "expected a second buffer with regions of "
              + lengths(buffers.getFirst())
              + " bytes, got "
              + lengths(buffer));
    }
    buffers.add(buffer);
    return this;
  }

  private static List<Long> lengths(WeightsBuffer buffer) {
    return buffer.regions().stream().map(Memory::length).toList();
  }

  /**
   * What lies in the first buffer from the start, and is served at once. Without it the rank serves
   * nothing until its first update.
   *
   * @param number 0 or more
   */
  public WeightsRankBuilder version(long number) {
    if (number < 0) {
      throw new IllegalArgumentException("expected a version of 0 or more, got " + number);
    }
    version = number;
    return this;
  }

  /**
   * What looks at the bytes of each update before the rank says that it has them. Unless this is
   * set, or {@link #unverified()}, the rank opens {@link Checksums} of its own, which is closed
   * with it, and compares each update whose trainers all say sums ({@link
   * WeightsTrainer#saysChecksums()}), as those behind a {@code TrainerService} do, of samples
   * unless told otherwise. It reads message channel 24 for them, sums up on {@link
   * Schedulers#boundedElastic()}, and waits for sums for {@link Checksums#DEADLINE}. Where a buffer
   * is memory of an accelerator that the CPU does not reach, it compares nothing, and logs that.
   *
   * <p>An application that wants another deadline or other schedulers gives {@code Checksums} that
   * it has opened itself: they are asked for each update, so all trainers have to say sums then.
   *
   * @param check called when all writes have come and nothing can be written any more, on any
   *     thread, which it must not block. What it returns begins when it is subscribed to, which
   *     happens once. When it completes, the rank goes on; what it emits is not looked at. When it
   *     fails, the update is aborted, and what the failure says is the reason. It is cancelled when
   *     the update was given up; there is no deadline but that of the update
   */
  public WeightsRankBuilder verify(Function<? super FilledBuffer, ? extends Publisher<?>> check) {
    verifier = Objects.requireNonNull(check, "check");
    comparesSums = false;
    return this;
  }

  /**
   * Nothing looks at the bytes of an update, whatever its trainers say, and the rank reads no sums:
   * for who looks at them elsewhere, or does without. Takes back what {@link #verify} was told.
   */
  public WeightsRankBuilder unverified() {
    verifier = null;
    comparesSums = false;
    return this;
  }

  /** Who is told of what becomes of updates here; nobody unless it is set. */
  public WeightsRankBuilder recorder(VersionRecorder recorder) {
    this.recorder = Objects.requireNonNull(recorder, "recorder");
    return this;
  }

  /** Where what is due later runs; {@link Schedulers#parallel()} if nothing is said. */
  public WeightsRankBuilder timers(Scheduler scheduler) {
    timers = Objects.requireNonNull(scheduler, "scheduler");
    return this;
  }

  /**
   * By which number controllers tell this rank from others that had its name; drawn at random
   * unless it is set. For simulations that do the same again.
   *
   * @param number which no rank of this name has had or will have; not 0
   */
  public WeightsRankBuilder incarnation(long number) {
    if (number == 0) {
      throw new IllegalArgumentException("expected an incarnation other than 0, got 0");
    }
    incarnation = number;
    return this;
  }

  /**
   * Registers the buffers, each beside what the application has registered of them, and opens the
   * rank. Fails with an {@link IllegalStateException} if the engine is closed or has a rank
   * already, or {@link Checksums} that were not given to {@link #verify} while it is to compare
   * sums by itself, and with an {@link IllegalArgumentException} if regions share memory, or the
   * messages of the engine are too short to say where so many regions are. Each subscription opens
   * another one; cancelling undoes what was registered, and closes a rank that has begun, until it
   * was emitted. A {@code timeout} behind this may be over just as the rank comes, which nobody has
   * then: remember it by a {@code doOnNext} before the timeout, and close it if that fails.
   */
  public Mono<WeightsRank> open() {
    if (buffers.isEmpty()) {
      throw new IllegalArgumentException("expected 1 or 2 buffers, got none");
    }
    requireOwnSums();
    boolean compares = comparesSums && isReachedByTheCpu();
    return Mono.defer(() -> {
      requireApart();
      Queue<MemoryRegion> made = new ConcurrentLinkedQueue<>();
      Opening<WeightsRank> opening = new Opening<>(WeightsRank::close);
      Mono<Void> undo =
          Mono.defer(() -> Mono.whenDelayError(made.stream().map(MemoryRegion::close).toList()));
      return Flux.fromIterable(List.copyOf(buffers))
          .concatMap(buffer -> registered(buffer, made))
          .collectList()
          .flatMap(slots -> {
            requireRoom(slots.getFirst());
            WeightsRank rank = new WeightsRank(this, slots, compares);
            boolean isWanted = opening.made(rank);
            made.clear(); // they are the rank's from here on
            return isWanted ? started(rank) : Mono.<WeightsRank>empty();
          })
          .doOnNext(rank -> opening.emitted())
          .onErrorResume(failure -> undo.onErrorComplete().then(Mono.error(failure)))
          .doOnCancel(() -> {
            opening.cancel();
            undo.subscribe(nothing -> {}, failure -> {});
          });
    });
  }

  /** Where no message says where to write, each update would fail. */
  private void requireRoom(BufferSlot slot) {
    List<RegionDescriptor> keys = slot.keys();
    int least = VersionCodec.leastBytes(name, keys);
    if (least > engine.options().maxMessageBytes()) {
      throw new IllegalArgumentException(
          VersionCodec.tooShort(
              "rank "
                  + name
                  + ", whose buffers have "
                  + keys.size()
                  + (keys.size() == 1 ? " region" : " regions"),
              least,
              engine.options()));
    }
  }

  private static Mono<WeightsRank> started(WeightsRank rank) {
    try {
      rank.start();
      return Mono.just(rank);
    } catch (RuntimeException why) {
      return rank.close().onErrorComplete().then(Mono.error(why));
    }
  }

  /** Those on another engine would wait for sums that come here. */
  private void requireOwnSums() {
    if (verifier instanceof Checksums given && !given.engine().id().equals(engine.id())) {
      throw new IllegalArgumentException(
          "expected checksums that are open on the engine of rank "
              + name
              + ", "
              + engine.id()
              + ", got those of "
              + given.engine().id());
    }
  }

  /** Whether all can be summed up. Looks for accelerators where there is need, in files. */
  private boolean isReachedByTheCpu() {
    Accelerators accelerators = new Accelerators();
    try {
      for (WeightsBuffer buffer : buffers) {
        for (Memory region : buffer.regions()) {
          if (region instanceof DeviceMemory memory) {
            accelerators.require("checksums", memory);
          }
        }
      }
      return true;
    } catch (IllegalArgumentException why) {
      LOG.warn("rank {} compares no checksums: {}", name, why.getMessage());
      return false;
    }
  }

  /** What is written to one of them must not change what is read from another. */
  private void requireApart() {
    List<Memory> regions = buffers.stream().flatMap(buffer -> buffer.regions().stream()).toList();
    for (int i = 0; i < regions.size(); i++) {
      for (int j = 0; j < i; j++) {
        if (overlap(regions.get(j), regions.get(i))) {
          throw new IllegalArgumentException(
              "expected regions of buffers of rank "
                  + name
                  + " that share no memory, got two that overlap: "
                  + text(regions.get(j))
                  + " and "
                  + text(regions.get(i)));
        }
      }
    }
  }

  private static boolean overlap(Memory one, Memory other) {
    if (one instanceof HostMemory host && other instanceof HostMemory otherHost) {
      return host.segment().asOverlappingSlice(otherHost.segment()).isPresent();
    }
    return one instanceof DeviceMemory device
        && other instanceof DeviceMemory otherDevice
        && device.device().equals(otherDevice.device())
        && device.address() - otherDevice.address() < otherDevice.length()
        && otherDevice.address() - device.address() < device.length();
  }

  private static String text(Memory memory) {
    return memory instanceof HostMemory host ? host.segment().toString() : memory.toString();
  }

  private Mono<BufferSlot> registered(WeightsBuffer buffer, Queue<MemoryRegion> made) {
    return Flux.fromIterable(buffer.regions())
        .concatMap(memory -> engine.register(memory, Access.REMOTE_WRITE).doOnNext(made::add))
        .collectList()
        .map(regions -> new BufferSlot(engine, regions));
  }
}
