package io.reactivetransfer.engine;

import io.reactivetransfer.Access;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
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
  private final Set<Runnable> quietWaiters = new LinkedHashSet<>();

  private final Set<Runnable> closeWaiters = new LinkedHashSet<>();
  private int flights;
  private boolean closing;
  private boolean deregistered;
  private volatile boolean closed;
  private volatile @Nullable RegionDescriptor descriptor;

  private RegisteredRegion(Worker worker, Memory memory, Access access, LocalMemory[] locals) {
    this.worker = worker;
    this.memory = memory;
    this.access = access;
    this.locals = locals;
  }

  /**
   * Registers with all NICs or with none. On the worker.
   *
   * @throws TransferRejectedException if one refuses, or fails in another way: the memory is the
   *     caller's, who may have freed it
   */
  static RegisteredRegion register(Worker worker, Memory memory, Access access) {
    Domain[] domains = worker.nics().domains();
    LocalMemory[] locals = new LocalMemory[domains.length];
    int done = 0;
    try {
      for (; done < domains.length; done++) {
        locals[done] = domains[done].register(memory, access);
      }
    } catch (RuntimeException e) {
      for (int nic = 0; nic < done; nic++) {
        domains[nic].deregister(locals[nic]);
      }
      throw new TransferRejectedException(
          "cannot register " + memory.length() + " bytes: " + e.getMessage(),
          worker.nics().origin(done, e instanceof BackendException known ? known.code() : 0),
          e);
    }
    return new RegisteredRegion(worker, memory, access, locals);
  }

  /** Makes it nameable to others. On the worker, once the engine knows its own address. */
  void publish() {
    if (access.allowsRemoteWrite()) {
      List<byte[]> keys = new ArrayList<>(locals.length);
      for (LocalMemory local : locals) {
        keys.add(local.key());
      }
      descriptor = new RegionDescriptor(worker.address(), memory.length(), access, keys);
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
      Runnable waiter = answer::success;
      whenQuiet(waiter);
      answer.onCancel(() -> worker.execute(() -> quietWaiters.remove(waiter)));
    });
  }

  @Override
  public Mono<Void> revoke() {
    return worker.ask(answer -> {
      if (!closing) {
        revokeNow();
      }
      worker.afterPoll(answer::success); // what had arrived before is counted before
    });
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(() -> {
      closed = true;
      return worker.ask(answer -> {
        Runnable waiter = () -> worker.afterPoll(answer::success);
        closeNow(waiter);
        answer.onCancel(() -> worker.execute(() -> closeWaiters.remove(waiter)));
      });
    });
  }

  /** Closes; tells when nothing touches the memory any more. On the worker. */
  void closeNow(Runnable whenClosed) {
    closed = true;
    if (deregistered) {
      whenClosed.run();
      return;
    }
    closeWaiters.add(whenClosed);
    if (!closing) {
      closing = true;
      try {
        revokeNow();
      } catch (RuntimeException e) {
        worker.defect("a " + this + " could not be revoked before it is deregistered: " + e);
      }
      whenQuiet(this::deregister);
    }
  }

  /** The NICs are closed: nothing touches the memory any more, whatever went wrong before. */
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

  private void whenQuiet(Runnable action) {
    if (flights == 0) {
      action.run();
    } else {
      quietWaiters.add(action);
    }
  }

  private void revokeNow() {
    if (access.allowsRemoteWrite() && !worker.nics().isClosed()) {
      Domain[] domains = worker.nics().domains();
      try {
        for (int nic = 0; nic < domains.length; nic++) {
          locals[nic] = domains[nic].revoke(locals[nic]);
        }
      } finally {
        publish();
      }
    }
  }

  private void deregister() {
    if (deregistered) {
      return;
    }
    if (!worker.nics().isClosed()) {
      Domain[] domains = worker.nics().domains();
      for (int nic = 0; nic < domains.length; nic++) {
        try {
          domains[nic].deregister(locals[nic]);
        } catch (RuntimeException e) {
          // only closing the NIC can now make sure that nothing touches the memory
          throw new IllegalStateException("cannot deregister a " + this, e);
        }
      }
    }
    ended();
  }

  private void ended() {
    deregistered = true;
    worker.regionClosed(this);
    runAll(closeWaiters);
  }

  private static void runAll(Set<Runnable> waiters) {
    List<Runnable> ready = List.copyOf(waiters);
    waiters.clear();
    ready.forEach(Runnable::run);
  }

  @Override
  public String toString() {
    return "region of " + memory.length() + " bytes, " + access + (closed ? ", closed" : "");
  }
}
