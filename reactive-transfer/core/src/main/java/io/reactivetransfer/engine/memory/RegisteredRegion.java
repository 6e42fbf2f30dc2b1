package io.reactivetransfer.engine.memory;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.ForAll;
import io.reactivetransfer.engine.base.NotClosed;
import io.reactivetransfer.engine.base.Signals;
import io.reactivetransfer.spi.LocalMemory;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Memory registered with every NIC of an engine. All but the volatile fields belong to the NIC
 * thread.
 */
public final class RegisteredRegion implements MemoryRegion {

  private final Regions regions;
  private final Memory memory;
  private final Access access;
  private final Registration registration;
  private final int nearNics;

  /** Sets, so that one who does not wait any more leaves at once, however many wait. */
  private final Set<Waiter> quietWaiters = new LinkedHashSet<>();

  private final Set<Waiter> closeWaiters = new LinkedHashSet<>();

  /** Those who wait for the revocation that the NICs are at; none if they are at none. */
  private final List<Waiter> revoking = new ArrayList<>();

  private @Nullable Waiter registering; // whom the NICs keep waiting
  private int flights;
  private long number; // by which others know it now
  private boolean closing;
  private boolean keyEnded; // by a close, as far as its NICs could
  private boolean deregistered;
  private @Nullable TransferException notRevoked; // why it could not be, when it was closed
  private @Nullable NotClosed notGivenUp; // by these NICs, for ever
  private volatile boolean closed;
  private volatile @Nullable RegionDescriptor descriptor;

  /** Someone who waits until nothing touches the memory, and is told if that is never known. */
  @FunctionalInterface
  public interface Waiter {
    void over(@Nullable TransferException failure);
  }

  /**
   * To be registered.
   *
   * @throws TransferRejectedException if the memory was freed, which the caller may do at any time,
   *     or is where a NIC does not reach it
   */
  RegisteredRegion(Regions regions, Memory memory, Access access) {
    RegionFailures.requireAlive(memory);
    RegionFailures.requireReached(regions.nics(), regions.devices(), memory);
    this.regions = regions;
    this.memory = memory;
    this.access = access;
    this.registration = new Registration(regions.nics().domains(), regions.commands());
    this.nearNics = regions.nics().near(memory.device());
  }

  /**
   * Registers with all NICs or with none, and tells when that is done, or why it cannot be: a NIC
   * refuses, or fails in another way. On the NIC thread.
   */
  public void register(Waiter done) {
    registering = done;
    registration.register(memory, access, this::registered);
  }

  private void registered(List<Registration.Failure> failures) {
    if (deregistered) {
      return; // the NICs were closed meanwhile, and who waited was told
    }
    if (failures.isEmpty()) {
      endRegistering(null);
    } else {
      Registration.Failure first = failures.getFirst();
      String text =
          "cannot register " + memory.length() + " bytes: " + Signals.textOf(first.reason());
      Origin origin = RegionFailures.origin(regions.nics(), first);
      registration.deregister(kept -> {
        String all = text + RegionFailures.kept(regions.nics(), kept);
        undone(new TransferRejectedException(all, origin, first.reason()), kept);
      });
    }
  }

  private void undone(TransferRejectedException failure, List<Registration.Failure> kept) {
    if (deregistered) {
      return;
    }
    deregistered = true;
    regions.closed(this);
    endRegistering(failure);
    if (!kept.isEmpty()) {
      breakDown(new IllegalStateException("cannot undo a registration", kept.getFirst().reason()));
    }
  }

  private void endRegistering(@Nullable TransferException failure) {
    Waiter waiter = registering;
    registering = null;
    if (waiter != null) {
      waiter.over(failure);
    }
  }

  /** Whether the NICs are still at its registration. */
  public boolean isRegistering() {
    return registering != null;
  }

  /** Closes the NICs: only that can now make sure that nothing touches the memory. */
  private void breakDown(IllegalStateException failure) {
    regions
        .commands()
        .execute(() -> {
          if (!regions.nics().isClosed()) {
            throw failure;
          }
        });
  }

  /** Makes it nameable to others. On the NIC thread, once the engine knows its own address. */
  void publish() {
    if (access.allowsRemoteWrite()) {
      regions.revocations().forget(number);
      number = regions.revocations().newNumber();
      descriptor =
          new RegionDescriptor(
              regions.owner(), number, memory.length(), access, registration.keys());
    }
  }

  /**
   * The NICs that it is to be written from, as a set of bits: those that are near to it. All know
   * it, so that the others can stand in for them.
   */
  public int nearNics() {
    return nearNics;
  }

  public LocalMemory local(int nic) {
    return registration.local(nic);
  }

  @SuppressWarnings("ReferenceEquality") // the very same engine
  boolean isOf(Regions regions) {
    return this.regions == regions;
  }

  /** Flights begin to use it, one after another; {@link #flightsEnded} when none of them does. */
  public void flightsBegin() {
    assert regions.commands().owner().isCurrent();
    flights++;
  }

  public void flightsEnded() {
    assert regions.commands().owner().isCurrent();
    if (--flights == 0 && !quietWaiters.isEmpty()) {
      runAll(quietWaiters);
    }
  }

  @Override
  public EngineId engine() {
    return regions.owner().engine();
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
    return regions
        .commands()
        .ask(answer -> {
          Waiter waiter = failure -> answer(answer, failure);
          whenQuiet(waiter);
          answer.onCancel(() -> regions.commands().execute(() -> quietWaiters.remove(waiter)));
        });
  }

  @Override
  public Mono<Void> revoke() {
    return regions
        .commands()
        .ask(answer -> {
          if (hasKeyEnded()) {
            revoked(answer);
          } else {
            regions
                .revocations()
                .ask(number, () -> regions.commands().answer(answer, this::revokeAndAnswer));
          }
        });
  }

  /** Whether there is no key any more that could be ended. */
  private boolean hasKeyEnded() {
    return keyEnded || deregistered;
  }

  private void revokeAndAnswer(Answer<Void> answer) {
    if (hasKeyEnded()) {
      revoked(answer);
    } else {
      revokeNow(failure -> {
        if (failure == null) {
          revoked(answer);
        } else {
          answer.error(failure);
        }
      });
    }
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
      return regions
          .commands()
          .ask(answer -> {
            Waiter waiter = failure -> answerAfterPoll(answer, failure);
            closeNow(waiter);
            answer.onCancel(() -> regions.commands().execute(() -> closeWaiters.remove(waiter)));
          });
    });
  }

  private void answerAfterPoll(Answer<Void> answer, @Nullable TransferException failure) {
    regions.afterPoll().execute(() -> answer(answer, failure));
  }

  private static void answer(Answer<Void> answer, @Nullable TransferException failure) {
    if (failure == null) {
      answer.success();
    } else {
      answer.error(failure);
    }
  }

  /** Closes; tells when nothing touches the memory any more. On the NIC thread. */
  public void closeNow(Waiter whenClosed) {
    assert regions.commands().owner().isCurrent();
    closed = true;
    if (deregistered) {
      whenClosed.over(notQuiet());
      return;
    }
    closeWaiters.add(whenClosed);
    if (!closing) {
      closing = true;
      if (isRegistering()) {
        return; // the engine closes, and the NICs are next
      }
      regions.revocations().ask(number, this::revokeAndDeregister);
    }
  }

  private void revokeAndDeregister() {
    revokeNow(failure -> {
      keyEnded = true;
      if (failure != null) {
        regions
            .defects()
            .report("a " + this + " could not be revoked before it is deregistered: " + failure);
        notRevoked = failure;
      }
      regions.revocations().forget(number);
      whenQuiet(notQuiet -> deregister());
    });
  }

  /**
   * The NICs are closed: nothing touches the memory any more, whatever went wrong before; or one of
   * them could not be closed, and then nobody is told so.
   */
  public void nicsClosed() {
    closed = true;
    closing = true;
    if (!deregistered) {
      ended();
    }
    endRevoking(null);
    endRegistering(Admission.closedError());
  }

  /** How many wait for it to be quiet, or closed. */
  int waiters() {
    return quietWaiters.size() + closeWaiters.size();
  }

  /** Why nobody can say that no NIC touches the memory, though none is asked to any more. */
  private @Nullable TransferException notQuiet() {
    NotClosed failure = deregistered ? notGivenUp : regions.nics().notClosed();
    return failure == null ? null : failure.error();
  }

  private void whenQuiet(Waiter action) {
    if (flights == 0) {
      action.over(notQuiet());
    } else {
      quietWaiters.add(action);
    }
  }

  /**
   * Revokes with all NICs, also if one of them fails to. Who asks for it while they are at it has
   * the same descriptor in mind.
   */
  private void revokeNow(Waiter done) {
    if (!access.allowsRemoteWrite() || regions.nics().isClosed()) {
      done.over(null);
      return;
    }
    revoking.add(done);
    if (revoking.size() == 1) {
      registration.revoke(this::revoked);
    }
  }

  private void revoked(List<Registration.Failure> failures) {
    if (deregistered) {
      return; // the NICs were closed meanwhile, and who waited was told
    }
    publish();
    endRevoking(
        failures.isEmpty()
            ? null
            : RegionFailures.notRevoked(regions.nics(), this, failures.getFirst()));
    for (Registration.Failure each : failures) {
      if (!each.isRefusal()) {
        String text = RegionFailures.notRevokedText(regions.nics(), this, each);
        throw new IllegalStateException(text, each.reason());
      }
    }
  }

  private void endRevoking(@Nullable TransferException failure) {
    List<Waiter> waiters = List.copyOf(revoking);
    revoking.clear();
    ForAll.of(waiters, waiter -> waiter.over(failure));
  }

  /** With all NICs, also if one of them fails to; then it is over when they are closed. */
  private void deregister() {
    if (deregistered) {
      return;
    }
    if (regions.nics().isClosed()) {
      ended();
    } else {
      registration.deregister(this::deregistered);
    }
  }

  private void deregistered(List<Registration.Failure> failures) {
    if (deregistered) {
      return; // the NICs were closed meanwhile
    }
    if (failures.isEmpty()) {
      ended();
      return;
    }
    for (Registration.Failure each : failures) {
      String name = regions.nics().name(each.nic());
      regions
          .defects()
          .report("NIC " + name + " could not deregister a " + this + ": " + each.reason());
    }
    Registration.Failure last = failures.getLast();
    String name = regions.nics().name(last.nic());
    breakDown(
        new IllegalStateException("NIC " + name + " cannot deregister a " + this, last.reason()));
  }

  private void ended() {
    notGivenUp = regions.nics().notClosed();
    if (notGivenUp != null) {
      NotClosed.keep(memory);
    }
    deregistered = true;
    regions.closed(this);
    runAll(closeWaiters);
  }

  private void runAll(Set<Waiter> waiters) {
    List<Waiter> ready = List.copyOf(waiters);
    waiters.clear();
    TransferException failure = notQuiet();
    ForAll.of(ready, waiter -> waiter.over(failure));
  }

  @Override
  public String toString() {
    return "region of " + memory.length() + " bytes, " + access + (closed ? ", closed" : "");
  }
}
