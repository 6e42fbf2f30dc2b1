package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.ForwardingCalls;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** What is wrong with writes, and with what they go to. */
final class KvMemorySaboteurs {

  private static final int SOMETIMES = 5;

  private KvMemorySaboteurs() {}

  /** Takes for landed what has left its source. */
  static final class EarlyQuiet implements Tampering {
    @Override
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class, sound, "completionLevel", args -> CompletionLevel.DELIVERED);
    }
  }

  /** Says at once that a registration is closed, and closes it later; or the other way round. */
  static final class ClosesLate implements Tampering {
    private final boolean saysSoAtOnce;
    private final Duration later;
    private Scheduler scheduler = Schedulers.immediate(); // before there is one

    ClosesLate(boolean saysSoAtOnce, Duration later) {
      this.saysSoAtOnce = saysSoAtOnce;
      this.later = later;
    }

    @Override
    public Scheduler timers(Scheduler sound) {
      scheduler = sound;
      return sound;
    }

    @Override
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "register",
          args -> sound.register((Memory) args[0], (Access) args[1]).map(this::closedLate));
    }

    private MemoryRegion closedLate(MemoryRegion region) {
      Scheduler clock = scheduler;
      return ForwardingCalls.of(
          MemoryRegion.class,
          region,
          "close",
          args -> {
            Mono<Long> wait = Mono.delay(later, clock);
            return saysSoAtOnce
                ? Mono.fromRunnable(() -> wait.then(region.close()).subscribe())
                : region.close().then(wait).then();
          });
    }
  }

  /** Some of what decode waits for is not written. */
  static final class LeavesOut implements Tampering {
    private final AtomicInteger writes = new AtomicInteger();

    @Override
    @SuppressWarnings("unchecked") // that is what it is called with
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "submit",
          args ->
              sound.submit(
                  Flux.from((Publisher<Transfer>) args[0])
                      .filter(write -> writes.incrementAndGet() % SOMETIMES != 0),
                  (Duration) args[1]));
    }
  }

  /** Some registrations are never closed. */
  static final class NeverCloses implements Tampering {
    private final AtomicInteger made = new AtomicInteger();

    @Override
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "register",
          args -> sound.register((Memory) args[0], (Access) args[1]).map(this::left));
    }

    private MemoryRegion left(MemoryRegion region) {
      return made.incrementAndGet() % SOMETIMES == 0
          ? ForwardingCalls.of(MemoryRegion.class, region, "close", args -> Mono.empty())
          : region;
    }
  }

  /** When a registration fails, the one before stays open. */
  static final class ForgetsAfterRefusal implements Tampering {
    private AtomicBoolean lastStays = new AtomicBoolean();

    @Override
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "register",
          args ->
              sound
                  .register((Memory) args[0], (Access) args[1])
                  .doOnError(refused -> lastStays.set(true))
                  .map(this::noted));
    }

    private MemoryRegion noted(MemoryRegion region) {
      AtomicBoolean stays = new AtomicBoolean();
      lastStays = stays;
      return ForwardingCalls.of(
          MemoryRegion.class,
          region,
          "close",
          args -> Mono.defer(() -> stays.get() ? Mono.empty() : region.close()));
    }
  }

  /** Hears of no loss, unless it waits for something of that node. */
  static final class HearsOfNoLoss implements Tampering {
    @Override
    public TransferEngine engine(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "lease",
          args -> args.length == 0 ? deaf(sound.lease()) : sound.lease((Integer) args[0]));
    }

    private static ImmLease deaf(ImmLease watch) {
      return ForwardingCalls.of(
          ImmLease.class,
          watch,
          "counter",
          counter ->
              ForwardingCalls.of(
                  ImmCounter.class,
                  watch.counter(),
                  "boundTo",
                  peer ->
                      ForwardingCalls.of(
                          ImmCounter.class, watch.counter(), "next", next -> Mono.never())));
    }
  }
}
