package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.Access;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.ForwardingCalls;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What is wrong with memory and writes. */
final class WeightsMemorySaboteurs {

  private static final int SOMETIMES = 5;

  private WeightsMemorySaboteurs() {}

  /** Keys of an inference rank's buffers are not ended. */
  static final class EndsNoKey implements WeightsTampering {
    @Override
    public TransferEngine rank(TransferEngine sound) {
      return withoutRevocation(sound);
    }
  }

  /** Nor are those of a trainer's temporaries. */
  static final class EndsNoKeyOfTemporaries implements WeightsTampering {
    @Override
    public TransferEngine trainer(TransferEngine sound) {
      return withoutRevocation(sound);
    }
  }

  private static TransferEngine withoutRevocation(TransferEngine sound) {
    return registering(
        sound,
        region -> ForwardingCalls.of(MemoryRegion.class, region, "revoke", args -> Mono.empty()));
  }

  /** Some registrations are never closed. */
  static final class NeverCloses implements WeightsTampering {
    private final AtomicInteger made = new AtomicInteger();

    @Override
    public TransferEngine rank(TransferEngine sound) {
      return registering(sound, this::left);
    }

    @Override
    public TransferEngine trainer(TransferEngine sound) {
      return registering(sound, this::left);
    }

    private MemoryRegion left(MemoryRegion region) {
      return made.incrementAndGet() % SOMETIMES == 0
          ? ForwardingCalls.of(MemoryRegion.class, region, "close", args -> Mono.empty())
          : region;
    }
  }

  private static TransferEngine registering(
      TransferEngine sound, UnaryOperator<MemoryRegion> made) {
    return ForwardingCalls.of(
        TransferEngine.class,
        sound,
        "register",
        args -> sound.register((Memory) args[0], (Access) args[1]).map(made));
  }

  /** Some immediates are never given back. */
  static final class KeepsImmediates implements WeightsTampering {
    private final AtomicInteger made = new AtomicInteger();

    @Override
    public TransferEngine rank(TransferEngine sound) {
      return leasing(sound);
    }

    private TransferEngine leasing(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "lease",
          args -> kept(args.length == 0 ? sound.lease() : sound.lease((Integer) args[0])));
    }

    private ImmLease kept(ImmLease lease) {
      return made.incrementAndGet() % SOMETIMES == 0
          ? ForwardingCalls.of(ImmLease.class, lease, "close", args -> null)
          : lease;
    }
  }

  /** A trainer takes for written what it has handed over. */
  static final class TakenForWritten implements WeightsTampering {
    @Override
    @SuppressWarnings("unchecked") // that is what it is called with
    public TransferEngine trainer(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "submit",
          args -> {
            Flux<Transfer> writes = Flux.from((Publisher<Transfer>) args[0]).publish().refCount(2);
            sound.submit(writes).subscribe(written -> {}, failed -> {});
            return writes;
          });
    }
  }

  /** A trainer whose run has failed says so before its writes are over. */
  static final class FailsAtOnce implements WeightsTampering {
    @Override
    @SuppressWarnings("unchecked") // that is what it is called with
    public TransferEngine trainer(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "submit",
          args ->
              Flux.<Transfer>create(sink ->
                  sound
                      .submit(Flux.from((Publisher<Transfer>) args[0]).doOnError(sink::error))
                      .subscribe(sink::next, sink::error, sink::complete)));
    }
  }

  /** Some of what a trainer has to write is not written. */
  static final class LeavesOut implements WeightsTampering {
    private final AtomicInteger writes = new AtomicInteger();

    @Override
    @SuppressWarnings("unchecked") // that is what it is called with
    public TransferEngine trainer(TransferEngine sound) {
      return ForwardingCalls.of(
          TransferEngine.class,
          sound,
          "submit",
          args ->
              sound.submit(
                  Flux.from((Publisher<Transfer>) args[0])
                      .filter(write -> writes.incrementAndGet() % (SOMETIMES * SOMETIMES) != 0)));
    }
  }
}
