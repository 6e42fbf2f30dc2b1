package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Nic;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Doorbell;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.WorkerLoop;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
          Saboteur.backend(
              "17.12",
              "dozes for 300 ms when it was idle",
              inner ->
                  looping(
                      DozingLoop::new,
                      (bell, context) ->
                          DriverSaboteurs.isBare(context)
                              ? ((DozingLoop) Objects.requireNonNull(context.loop())).seesLate(bell)
                              : bell)),
          looping("17.21", "always says that it is in its loop", AlwaysInLoop::new),
          looping("17.21", "runs the newest task first", NewestFirst::new),
          looping("17.21", "knows no delay", WithoutDelay::new),
          Saboteur.backend(
              "17.21",
              "runs its tasks on two threads in turn",
              inner ->
                  looping(
                      TwoThreads::new,
                      (bell, context) -> {
                        ((TwoThreads) Objects.requireNonNull(context.loop())).hasNic = true;
                        return bell;
                      })),
          waitable("17.13", "never lets wait", NeverWaits::new),
          waitable("17.13", "has another array each time", OtherArrays::new),
          waitable("17.13", "never empties its descriptor", NeverEmpties::new));

  /** Those that are found only where the system says for how long a thread waits. */
  static final List<Saboteur> BLOCKING =
      BlockedTime.canBeTaken()
          ? List.of(
              Saboteur.nic("17.14", "blocks in one poll of 300", BlocksNowAndThen::new),
              Saboteur.nic("17.14", "blocks in the first post to a peer", BlocksInFirstPost::new))
          : List.of();

  private WaitSaboteurs() {}

  private static Saboteur waitable(
      String rule, String defect, BiFunction<Domain, Pipe, Waitable> wrapper) {
    return Saboteur.waiting(
        rule, defect, inner -> new WaitableBackend(inner, wrapper), ALL_DESCRIPTORS);
  }

  private static Saboteur looping(String rule, String defect, Supplier<WorkerLoop> loop) {
    return Saboteur.backend(rule, defect, inner -> looping(loop, (bell, context) -> bell));
  }

  /** Loopback with a loop, which hears a doorbell through this. */
  private static Backend looping(BiFunction<Doorbell, OpenContext, Doorbell> change) {
    return looping(Loop::new, change);
  }

  private static Backend looping(
      Supplier<WorkerLoop> loop, BiFunction<Doorbell, OpenContext, Doorbell> change) {
    return new ForwardingBackend(
        LoopbackBackend.builder().loop(loop).build(), (domain, context) -> domain) {
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
    return context.toBuilder().doorbell(doorbell).build();
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
    public PostResult post(Operation op) {
      PostResult taken = inner.post(op);
      if (!taken.isTaken()) {
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
  private static class Loop implements WorkerLoop {
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

  private static final class AlwaysInLoop extends Loop {
    @Override
    public boolean inLoop() {
      return true;
    }
  }

  private static final class WithoutDelay extends Loop {
    @Override
    public void schedule(Runnable task, long delayNanos) {
      execute(task);
    }
  }

  /** Of the tasks that wait. */
  private static final class NewestFirst extends Loop {
    private final Deque<Runnable> waiting = new ConcurrentLinkedDeque<>();

    @Override
    public void execute(Runnable task) {
      waiting.push(task);
      super.execute(() -> waiting.pop().run());
    }
  }

  /**
   * One task at a time, in order, but each on the other thread than the one before; as long as it
   * has no NIC, since what that does on several threads is another rule's.
   */
  private static final class TwoThreads extends Loop {
    private final List<ExecutorService> threads = List.of(daemon(), daemon());
    private volatile boolean hasNic;
    private int next;
    private volatile @Nullable Thread running;

    private static ExecutorService daemon() {
      return Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("one-of-two-of-the-kit").factory());
    }

    private void onNext(Runnable task) {
      next = hasNic ? next : 1 - next;
      CompletableFuture.runAsync(
              () -> {
                running = Thread.currentThread();
                task.run();
                running = null;
              },
              threads.get(next))
          .join();
    }

    @Override
    public boolean inLoop() {
      return Thread.currentThread() == running;
    }

    @Override
    public void execute(Runnable task) {
      super.execute(() -> onNext(task));
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      super.schedule(() -> onNext(task), delayNanos);
    }

    @Override
    public CompletionStage<Void> close() {
      super.execute(() -> threads.forEach(ExecutorService::shutdown));
      return super.close();
    }
  }

  /**
   * Looks for tasks and rings in turn; after 5 ms with neither it sleeps until a task comes. It
   * counts time and no turns, of which there are few on a busy machine.
   */
  private static final class DozingLoop implements WorkerLoop {
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long DOZE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final Queue<Doorbell> rung = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final Thread thread =
        Thread.ofPlatform().daemon().name("dozing-loop-of-the-kit").unstarted(this::run);
    private boolean closed;

    DozingLoop() {
      thread.start();
    }

    Doorbell seesLate(Doorbell bell) {
      return () -> rung.add(bell);
    }

    private void run() {
      long idleSince = System.nanoTime();
      while (!closed) {
        Runnable task = tasks.poll();
        Doorbell bell = rung.poll();
        if (bell != null) {
          bell.ring();
        }
        if (task != null) {
          task.run();
        }
        if (task != null || bell != null) {
          idleSince = System.nanoTime();
        } else if (System.nanoTime() - idleSince > IDLE_NANOS) {
          LockSupport.parkNanos(DOZE_NANOS);
        } else {
          Thread.yield();
        }
      }
      ended.complete(null);
    }

    @Override
    public boolean inLoop() {
      return Thread.currentThread() == thread;
    }

    @Override
    public void execute(Runnable task) {
      tasks.add(task);
      LockSupport.unpark(thread);
    }

    @Override
    public void schedule(Runnable task, long delayNanos) {
      CompletableFuture.delayedExecutor(delayNanos, TimeUnit.NANOSECONDS)
          .execute(() -> execute(task));
    }

    @Override
    public CompletionStage<Void> close() {
      closed = true;
      return ended;
    }
  }

  private static void standStill() {
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(45);
    while (System.nanoTime() - end < 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
  }

  private static final class BlocksNowAndThen extends ForwardingDomain {
    private final boolean bare;
    private int polls;

    BlocksNowAndThen(Domain inner, OpenContext context) {
      super(inner);
      bare = DriverSaboteurs.isBare(context);
    }

    @Override
    public int poll(CompletionSink sink) {
      if (bare && ++polls % 300 == 0) {
        standStill();
      }
      return inner.poll(sink);
    }
  }

  /** As who calls a connect that returns when the connection is there. */
  private static final class BlocksInFirstPost extends TrackingDomain {
    private final Set<EngineId> connected = new HashSet<>();

    BlocksInFirstPost(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      if (DriverSaboteurs.isBare(context) && connected.add(ownerOf(op))) {
        standStill();
      }
      return super.post(op);
    }
  }
}
