package io.reactivetransfer.engine;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Memory registered with every NIC of a worker. All but the volatile fields belong to the worker.
 */
final class RegisteredRegion implements MemoryRegion {

  private final Worker worker;
  private final Memory memory;
  private final Access access;
  private final LocalMemory[] locals;

  /** Sets, so that one who does not wait any more leaves at once, however many wait. */
  private final Set<Waiter> quietWaiters = new LinkedHashSet<>();

  private final Set<Waiter> closeWaiters = new LinkedHashSet<>();
  private int flights;
  private long number; // by which others know it now
  private boolean closing;
  private boolean deregistered;
  private @Nullable TransferException notRevoked; // why it could not be, when it was closed
  private @Nullable NotClosed notGivenUp; // by these NICs, for ever
  private volatile boolean closed;
  private volatile @Nullable RegionDescriptor descriptor;

  /** Someone who waits until nothing touches the memory, and is told if that is never known. */
  @FunctionalInterface
  interface Waiter {
    void over(@Nullable TransferException failure);
  }

  private RegisteredRegion(Worker worker, Memory memory, Access access, LocalMemory[] locals) {
    this.worker = worker;
    this.memory = memory;
    this.access = access;
    this.locals = locals;
  }

  /**
   * Registers with all NICs or with none. On the worker.
   *
   * @throws TransferRejectedException if the memory was freed, which the caller may do at any time;
   *     or if a NIC refuses, or fails in another way
   */
  static RegisteredRegion register(Worker worker, Memory memory, Access access) {
    requireAlive(memory);
    Domain[] domains = worker.nics().domains();
    LocalMemory[] locals = new LocalMemory[domains.length];
    int done = 0;
    try {
      for (; done < domains.length; done++) {
        locals[done] = domains[done].register(memory, access);
      }
    } catch (RuntimeException e) {
      throw new TransferRejectedException(
          "cannot register "
              + memory.length()
              + " bytes: "
              + Signals.textOf(e)
              + undo(worker, locals, done),
          worker.nics().origin(done, NotClosed.code(e)),
          e);
    }
    return new RegisteredRegion(worker, memory, access, locals);
  }

  /** A NIC looks at addresses only, and many take one at which there is nothing any more. */
  private static void requireAlive(Memory memory) {
    if (memory instanceof HostMemory host && !host.segment().scope().isAlive()) {
      throw new TransferRejectedException(
          "expected memory whose arena is open, got "
              + memory.length()
              + " bytes of one that was closed; register them before, and close the region first");
    }
  }

  /** Undoes a registration with the first NICs; returns what is to be said of that. */
  private static String undo(Worker worker, LocalMemory[] locals, int done) {
    StringBuilder text = new StringBuilder();
    for (int nic = 0; nic < done; nic++) {
      try {
        worker.nics().domains()[nic].deregister(locals[nic]);
      } catch (RuntimeException e) {
        text.append("; NIC ")
            .append(worker.nics().nics().get(nic).name())
            .append(" does not give it up again: ")
            .append(NotClosed.describe(e))
            .append("; neither free nor reuse it before close() of the engine has completed");
        breakDown(worker, new IllegalStateException("cannot undo a registration", e));
      }
    }
    return text.toString();
  }

  /** Closes the NICs: only that can now make sure that nothing touches the memory. */
  private static void breakDown(Worker worker, IllegalStateException failure) {
    worker.execute(() -> {
      if (!worker.nics().isClosed()) {
        throw failure;
      }
    });
  }

  /** Makes it nameable to others. On the worker, once the engine knows its own address. */
  void publish() {
    if (access.allowsRemoteWrite()) {
      List<byte[]> keys = new ArrayList<>(locals.length);
      for (LocalMemory local : locals) {
        keys.add(local.key());
      }
      worker.revocations().forget(number);
      number = worker.revocations().newNumber();
      descriptor = new RegionDescriptor(worker.address(), number, memory.length(), access, keys);
    }
  }

  LocalMemory local(int nic) {
    return locals[nic];
  }

  boolean isOf(Worker worker) {
    return this.worker == worker;
  }

  void flightBegan() {
    flights++;
  }

  void flightEnded() {
    if (--flights == 0 && !quietWaiters.isEmpty()) {
      runAll(quietWaiters);
    }
  }

  @Override
  public Memory memory() {
    return memory;
  }

  @Override
  public long length() {
    return memory.length();
  }

  @Override
  public Access access() {
    return access;
  }

  @Override
  public RegionDescriptor descriptor() {
    if (!access.allowsRemoteWrite()) {
      throw new IllegalStateException(
          "expected a region registered with " + Access.REMOTE_WRITE + ", got " + access);
    }
    RegionDescriptor current = descriptor;
    if (closed || current == null) {
      throw new TransferRejectedException("expected an open region, got a closed one");
    }
    return current;
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public Mono<Void> quiesced() {
    return worker.ask(answer -> {
      Waiter waiter = failure -> answer(answer, failure);
      whenQuiet(waiter);
      answer.onCancel(() -> worker.execute(() -> quietWaiters.remove(waiter)));
    });
  }

  @Override
  public Mono<Void> revoke() {
    return worker.ask(answer -> {
      if (closing) {
        revoked(answer);
      } else {
        worker.revocations().ask(number, () -> worker.answer(answer, this::revokeAndAnswer));
      }
    });
  }

  private void revokeAndAnswer(Answer<Void> answer) {
    if (!closing) {
      revokeNow();
    }
    revoked(answer);
  }

  private void revoked(Answer<Void> answer) {
    TransferException failure = notQuiet();
    if (failure == null && !deregistered) {
      failure = notRevoked;
    }
    answerAfterPoll(answer, failure); // what had arrived before is counted before
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(() -> {
      closed = true;
      return worker.ask(answer -> {
        Waiter waiter = failure -> answerAfterPoll(answer, failure);
        closeNow(waiter);
        answer.onCancel(() -> worker.execute(() -> closeWaiters.remove(waiter)));
      });
    });
  }

  private void answerAfterPoll(Answer<Void> answer, @Nullable TransferException failure) {
    worker.afterPoll(() -> answer(answer, failure));
  }

  private static void answer(Answer<Void> answer, @Nullable TransferException failure) {
    if (failure == null) {
      answer.success();
    } else {
      answer.error(failure);
    }
  }

  /** Closes; tells when nothing touches the memory any more. On the worker. */
  void closeNow(Waiter whenClosed) {
    closed = true;
    if (deregistered) {
      whenClosed.over(notQuiet());
      return;
    }
    closeWaiters.add(whenClosed);
    if (!closing) {
      closing = true;
      worker.revocations().ask(number, this::revokeAndDeregister);
    }
  }

  private void revokeAndDeregister() {
    try {
      revokeNow();
    } catch (RuntimeException e) {
      worker.defect("a " + this + " could not be revoked before it is deregistered: " + e);
      notRevoked =
          e instanceof TransferException known
              ? known
              : new TransferFailedException(Signals.textOf(e), TransferException.Origin.UNKNOWN, e);
    }
    worker.revocations().forget(number);
    whenQuiet(failure -> deregister());
  }

  /**
   * The NICs are closed: nothing touches the memory any more, whatever went wrong before; or one of
   * them could not be closed, and then nobody is told so.
   */
  void nicsClosed() {
    closed = true;
    closing = true;
    if (!deregistered) {
      ended();
    }
  }

  /** How many wait for it to be quiet, or closed. */
  int waiters() {
    return quietWaiters.size() + closeWaiters.size();
  }

  /** Why nobody can say that no NIC touches the memory, though none is asked to any more. */
  private @Nullable TransferException notQuiet() {
    NotClosed failure = deregistered ? notGivenUp : worker.nics().notClosed();
    return failure == null ? null : failure.error();
  }

  private void whenQuiet(Waiter action) {
    if (flights == 0) {
      action.over(notQuiet());
    } else {
      quietWaiters.add(action);
    }
  }

  /** Revokes with all NICs, also if one of them fails to. */
  private void revokeNow() {
    if (access.allowsRemoteWrite() && !worker.nics().isClosed()) {
      Domain[] domains = worker.nics().domains();
      RuntimeException failure = null;
      int failed = 0;
      try {
        for (int nic = 0; nic < domains.length; nic++) {
          try {
            locals[nic] = domains[nic].revoke(locals[nic]);
          } catch (RuntimeException e) {
            failed = failure == null ? nic : failed;
            failure = failure == null ? e : failure;
          }
        }
      } finally {
        publish();
      }
      if (failure != null) {
        throw notRevoked(failed, failure);
      }
    }
  }

  /** A NIC may refuse; one that fails in another way is broken, and then the engine closes. */
  private RuntimeException notRevoked(int nic, RuntimeException failure) {
    String text =
        "NIC "
            + worker.nics().nics().get(nic).name()
            + " could not revoke a "
            + this
            + ": "
            + NotClosed.describe(failure)
            + "; writes under the descriptor from before may still land through it, and the"
            + " present descriptor may be no other there: revoke again, or close the region";
    return failure instanceof BackendException refusal
        ? new TransferFailedException(text, worker.nics().origin(nic, refusal.code()), refusal)
        : new IllegalStateException(text, failure);
  }

  /** With all NICs, also if one of them fails to; then it is over when they are closed. */
  private void deregister() {
    if (deregistered) {
      return;
    }
    IllegalStateException failure = null;
    if (!worker.nics().isClosed()) {
      Domain[] domains = worker.nics().domains();
      for (int nic = 0; nic < domains.length; nic++) {
        try {
          domains[nic].deregister(locals[nic]);
        } catch (RuntimeException e) {
          String name = worker.nics().nics().get(nic).name();
          worker.defect("NIC " + name + " could not deregister a " + this + ": " + e);
          failure = new IllegalStateException("NIC " + name + " cannot deregister a " + this, e);
        }
      }
    }
    if (failure == null) {
      ended();
    } else {
      breakDown(worker, failure);
    }
  }

  private void ended() {
    notGivenUp = worker.nics().notClosed();
    if (notGivenUp != null) {
      NotClosed.keep(memory);
    }
    deregistered = true;
    worker.regionClosed(this);
    runAll(closeWaiters);
  }

  private void runAll(Set<Waiter> waiters) {
    List<Waiter> ready = List.copyOf(waiters);
    waiters.clear();
    TransferException failure = notQuiet();
    ready.forEach(waiter -> waiter.over(failure));
  }

  @Override
  public String toString() {
    return "region of " + memory.length() + " bytes, " + access + (closed ? ", closed" : "");
  }
}
