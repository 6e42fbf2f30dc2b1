package io.reactivetransfer.engine.memory;

import io.reactivetransfer.Access;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Memory as the NICs of one engine know it. They may take their time over what they are asked, all
 * of them at once; what is asked next waits for the last of them. Belongs to the NIC thread.
 */
final class Registration {

  /**
   * What one NIC could not do.
   *
   * @param nic its number
   * @param reason what it said
   */
  record Failure(int nic, RuntimeException reason) {

    /** A NIC may refuse; one that fails in another way is broken. */
    boolean isRefusal() {
      return reason instanceof BackendException;
    }
  }

  private final Domain[] domains;
  private final Executor nicThread;
  private final @Nullable LocalMemory[] locals;

  /** Nothing is registered yet. */
  Registration(Domain[] domains, Executor nicThread) {
    this.domains = domains;
    this.nicThread = nicThread;
    this.locals = new LocalMemory[domains.length];
  }

  LocalMemory local(int nic) {
    return Objects.requireNonNull(locals[nic], "not registered yet, or no more");
  }

  /** The keys by which others write, one for each NIC. */
  List<byte[]> keys() {
    List<byte[]> keys = new ArrayList<>(locals.length);
    for (int nic = 0; nic < locals.length; nic++) {
      keys.add(local(nic).key());
    }
    return keys;
  }

  /** Registers with every NIC; some may have, and others not. */
  void register(Memory memory, Access access, Consumer<List<Failure>> done) {
    onEach(nic -> some(domains[nic].register(memory, access)), this::set, done);
  }

  /** Gives it other keys on every NIC; where that fails, the old one stays. */
  void revoke(Consumer<List<Failure>> done) {
    onEach(nic -> some(domains[nic].revoke(local(nic))), this::set, done);
  }

  /** Ends it on every NIC that has registered it. */
  void deregister(Consumer<List<Failure>> done) {
    onEach(
        nic -> {
          LocalMemory local = locals[nic];
          return local == null
              ? CompletableFuture.completedStage(null)
              : domains[nic].deregister(local);
        },
        (nothing, nic) -> {},
        done);
  }

  private void set(LocalMemory memory, int nic) {
    locals[nic] = memory;
  }

  private static CompletionStage<LocalMemory> some(CompletionStage<LocalMemory> stage) {
    return stage.thenApply(memory -> {
      if (memory == null) {
        throw new BackendException(0, "it gave no memory");
      }
      return memory;
    });
  }

  private <T> void onEach(
      IntFunction<CompletionStage<T>> begin, ObjIntConsumer<T> each, Consumer<List<Failure>> done) {
    List<Failure> failures = new ArrayList<>(0);
    int[] left = {domains.length + 1};
    Runnable ended =
        () -> {
          if (--left[0] == 0) {
            failures.sort(Comparator.comparingInt(Failure::nic));
            done.accept(failures);
          }
        };
    for (int nic = 0; nic < domains.length; nic++) {
      int index = nic;
      CompletableFuture<T> stage = begin(begin, nic);
      Runnable take =
          () -> {
            take(stage, index, each, failures);
            ended.run();
          };
      if (stage.isDone()) {
        take.run(); // here, and not as what follows the stage, which would hide what it throws
      } else {
        var _ = stage.whenComplete((value, failure) -> nicThread.execute(take));
      }
    }
    ended.run();
  }

  private static <T> CompletableFuture<T> begin(IntFunction<CompletionStage<T>> begin, int nic) {
    try {
      return begin.apply(nic).toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private static <T> void take(
      CompletableFuture<T> stage, int nic, ObjIntConsumer<T> each, List<Failure> failures) {
    Throwable failure = stage.handle((value, e) -> e).join();
    Throwable cause =
        failure instanceof CompletionException e && e.getCause() != null ? e.getCause() : failure;
    switch (cause) {
      case null -> each.accept(stage.join(), nic);
      case RuntimeException e -> failures.add(new Failure(nic, e));
      case Error e -> throw e;
      default -> failures.add(new Failure(nic, new IllegalStateException(cause)));
    }
  }
}
