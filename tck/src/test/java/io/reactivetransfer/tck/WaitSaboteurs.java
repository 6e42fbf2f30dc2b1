package io.reactivetransfer.tck;

import io.reactivetransfer.Nic;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Doorbell;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.WorkerLoop;
import io.reactivetransfer.spi.WriteOp;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/** Backends with one defect in how they ask for a turn: with a descriptor, or with the doorbell. */
final class WaitSaboteurs {

  private static final Descriptors ALL_DESCRIPTORS = new Descriptors();

  /** No defect; the NICs have descriptors. */
  static final Saboteur NONE_WITH_DESCRIPTORS = waitable("none", "no defect", Waitable::new);

  /** No defect; the NICs have a loop. */
  static final Saboteur NONE_WITH_LOOP =
      Saboteur.backend("none", "no defect", inner -> looping((bell, context) -> bell));

  static final List<Saboteur> ALL =
      List.of(
          waitable("17.12", "never makes its descriptor readable", NeverReadable::new),
          waitable("17.12", "names the descriptor of somebody else", WrongDescriptor::new),
          waitable("17.12", "loses what comes before the wait", LosesBefore::new),
          waitable("17.12", "is deaf after a refusal", DeafAfterRefusal::new),
          Saboteur.backend(
              "17.12",
              "never rings for what arrives",
              inner ->
                  looping(
                      (bell, context) -> DriverSaboteurs.isBareTarget(context) ? () -> {} : bell)),
          Saboteur.backend(
              "17.12",
              "rings every other time",
              inner ->
                  looping((bell, context) ->
                      DriverSaboteurs.isBare(context) ? everyOther(bell) : bell)),
          waitable("17.13", "never lets wait", NeverWaits::new),
          waitable("17.13", "has another array each time", OtherArrays::new),
          waitable("17.13", "never empties its descriptor", NeverEmpties::new));

  private WaitSaboteurs() {}

  private static Saboteur waitable(
      String rule, String defect, BiFunction<Domain, Pipe, Waitable> wrapper) {
    return Saboteur.waiting(
        rule, defect, inner -> new WaitableBackend(inner, wrapper), ALL_DESCRIPTORS);
  }

  /** Loopback with a loop, which hears a doorbell through this. */
  private static Backend looping(BiFunction<Doorbell, OpenContext, Doorbell> change) {
    return new ForwardingBackend(
        LoopbackBackend.builder().loop(Loop::new).build(), (domain, context) -> domain) {
      @Override
      public CompletionStage<Domain> open(Nic nic, OpenContext context) {
        return super.open(nic, with(context, change.apply(context.doorbell(), context)));
      }
    };
  }

  private static Doorbell everyOther(Doorbell bell) {
    return new Doorbell() {
      private boolean silent;

      @Override
      public synchronized void ring() {
        silent = !silent;
        if (!silent) {
          bell.ring();
        }
      }
    };
  }

  private static OpenContext with(OpenContext context, Doorbell doorbell) {
    return new OpenContext(
        context.engine(),
        context.nicIndex(),
        doorbell,
        context.loop(),
        context.nicDepth(),
        context.maxControlBytes(),
        context.connectTimeout());
  }

  /** Where the NIC below rings, and what becomes of that. */
  private static final class Pipe implements Doorbell {
    final int descriptor = ALL_DESCRIPTORS.newDescriptor();
    volatile boolean pending;
    volatile boolean silent;
    volatile long deafUntil = System.nanoTime();

    @Override
    public void ring() {
      if (System.nanoTime() - deafUntil < 0) {
        return;
      }
      pending = true;
      if (!silent) {
        ALL_DESCRIPTORS.set(descriptor, true);
      }
    }
  }

  private static final class WaitableBackend extends ForwardingBackend {
    private final BiFunction<Domain, Pipe, Waitable> wrapper;

    WaitableBackend(Backend inner, BiFunction<Domain, Pipe, Waitable> wrapper) {
      super(inner, (domain, context) -> domain);
      this.wrapper = wrapper;
    }

    @Override
    public CompletionStage<Domain> open(Nic nic, OpenContext context) {
      Pipe pipe = new Pipe();
      return super.open(nic, with(context, pipe)).thenApply(domain -> wrapper.apply(domain, pipe));
    }
  }

  /** A NIC with a descriptor instead of a doorbell. */
  private static class Waitable extends ForwardingDomain {
    final Pipe pipe;
    int[] descriptors;

    Waitable(Domain inner, Pipe pipe) {
      super(inner);
      this.pipe = pipe;
      this.descriptors = new int[] {pipe.descriptor};
    }

    @Override
    public int poll(CompletionSink sink) {
      pipe.pending = false;
      return inner.poll(sink);
    }

    @Override
    public int[] waitDescriptors() {
      return descriptors;
    }

    @Override
    public boolean prepareWait() {
      ALL_DESCRIPTORS.set(pipe.descriptor, false);
      return !pipe.pending;
    }
  }

  private static final class NeverReadable extends Waitable {
    NeverReadable(Domain inner, Pipe pipe) {
      super(inner, pipe);
      pipe.silent = true;
    }
  }

  private static final class WrongDescriptor extends Waitable {
    WrongDescriptor(Domain inner, Pipe pipe) {
      super(inner, pipe);
      descriptors = new int[] {ALL_DESCRIPTORS.newDescriptor()};
    }
  }

  private static final class LosesBefore extends Waitable {
    LosesBefore(Domain inner, Pipe pipe) {
      super(inner, pipe);
    }

    @Override
    public boolean prepareWait() {
      super.prepareWait();
      return true;
    }
  }

  private static final class DeafAfterRefusal extends Waitable {
    DeafAfterRefusal(Domain inner, Pipe pipe) {
      super(inner, pipe);
    }

    @Override
    public boolean post(WriteOp op) {
      boolean taken = inner.post(op);
      if (!taken) {
        pipe.deafUntil = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(60);
      }
      return taken;
    }
  }

  private static final class NeverWaits extends Waitable {
    NeverWaits(Domain inner, Pipe pipe) {
      super(inner, pipe);
    }

    @Override
    public boolean prepareWait() {
      return false;
    }
  }

  private static final class OtherArrays extends Waitable {
    OtherArrays(Domain inner, Pipe pipe) {
      super(inner, pipe);
    }

    @Override
    public int[] waitDescriptors() {
      return descriptors.clone();
    }
  }

  private static final class NeverEmpties extends Waitable {
    NeverEmpties(Domain inner, Pipe pipe) {
      super(inner, pipe);
    }

    @Override
    public boolean prepareWait() {
      return !pipe.pending;
    }
  }

  /** A loop of one thread. */
  private static final class Loop implements WorkerLoop {
    private volatile Thread thread;
    private final ScheduledThreadPoolExecutor executor =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              Thread made = new Thread(task, "loop-of-the-kit");
              made.setDaemon(true);
              thread = made;
              return made;
            });

    Loop() {
      executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public boolean inLoop() {
      return Thread.currentThread() == thread;
    }

    @Override
    public void execute(Runnable task) {
      executor.execute(task);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      executor.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    }

    @Override
    public CompletionStage<Void> close() {
      executor.shutdown();
      return CompletableFuture.completedFuture(null);
    }
  }
}
