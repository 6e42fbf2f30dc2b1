package io.reactivetransfer.engine.peers;

import io.reactivetransfer.Message;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.AdmissionTicket;
import io.reactivetransfer.engine.base.SignalScheduler;
import io.reactivetransfer.engine.base.Signals;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jctools.queues.varhandle.SpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.CoreSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Operators;
import reactor.core.scheduler.Scheduler;

/**
 * Messages of one channel that came and were not taken yet; bounded by the credits that were
 * granted. The NIC thread puts them in, the one subscriber of the time takes them out on the signal
 * scheduler.
 */
final class Inbox extends Flux<Message> {

  private static final int CHUNK = 64;

  private final SignalScheduler signals;
  private final Admission admission;
  private final BiConsumer<PeerLink, Integer> taken;
  private final SpscUnboundedVarHandleArrayQueue<Message> messages =
      new SpscUnboundedVarHandleArrayQueue<>(CHUNK);
  private final AtomicReference<@Nullable Reader> reader = new AtomicReference<>();

  /** Held by whoever takes messages out, also while one reader follows another. */
  private final AtomicBoolean taking = new AtomicBoolean();

  private volatile boolean closed;

  /**
   * Of one channel.
   *
   * @param taken told of each message that was taken: its sender and its length; from any thread
   */
  Inbox(SignalScheduler signals, Admission admission, BiConsumer<PeerLink, Integer> taken) {
    this.signals = signals;
    this.admission = admission;
    this.taken = taken;
  }

  @Override
  public void subscribe(CoreSubscriber<? super Message> actual) {
    admission.serve(actual, ticket -> newReader(actual, ticket));
  }

  private Reader newReader(CoreSubscriber<? super Message> actual, AdmissionTicket ticket) {
    Reader next = new Reader(this, actual, ticket);
    if (!reader.compareAndSet(null, next)) {
      next.cancel();
      throw new IllegalStateException(
          "expected one subscriber at a time of the messages of a channel, got another one");
    }
    return next;
  }

  /** On the NIC thread, and not after {@link #close}. */
  void put(Message message) {
    messages.offer(message);
    drainReader();
  }

  /** On the NIC thread: what nobody has asked for is gone. */
  void close() {
    closed = true;
    drainReader();
    dropRest();
  }

  /** Drops what nobody gets any more. Where another one is taking, that one does. */
  private void dropRest() {
    while (closed && reader.get() == null && !isEmpty() && taking.compareAndSet(false, true)) {
      messages.clear();
      taking.set(false);
    }
  }

  /** Whether none is kept. From any thread. */
  boolean isEmpty() {
    return messages.isEmpty();
  }

  private void drainReader() {
    Reader current = reader.get();
    if (current != null) {
      current.drain();
    }
  }

  private static final class Reader implements Admission.Guest, Runnable {
    private final Inbox inbox;
    private final CoreSubscriber<? super Message> actual;
    private final Scheduler.Worker signals;
    private final AdmissionTicket ticket;
    private final AtomicLong demand = new AtomicLong();
    private final AtomicInteger draining = new AtomicInteger();
    private volatile @Nullable Throwable misuse;

    /** Until then it is known to the NIC thread, and its subscriber does not know it. */
    private volatile boolean begun;

    private volatile boolean over;

    Reader(Inbox inbox, CoreSubscriber<? super Message> actual, AdmissionTicket ticket) {
      this.inbox = inbox;
      this.actual = actual;
      this.signals = inbox.signals.createWorker();
      this.ticket = ticket;
    }

    @Override
    public CoreSubscriber<? super Message> actual() {
      return actual;
    }

    @Override
    public boolean isOver() {
      return over;
    }

    @Override
    public void begin() {
      begun = true;
      drain();
    }

    @Override
    public void notBegun(Throwable reason) {
      misuse = reason;
      begun = true;
      drain();
    }

    @Override
    public void request(long n) {
      if (n <= 0) {
        misuse =
            new IllegalArgumentException("expected a request of 1 or more (rule 3.9), got " + n);
      } else {
        demand.accumulateAndGet(n, Operators::addCap);
      }
      drain();
    }

    @Override
    public void cancel() {
      over = true;
      leave();
      signals.dispose();
    }

    void drain() {
      if (!over && draining.getAndIncrement() == 0) {
        try {
          signals.schedule(this);
        } catch (Throwable e) {
          run(); // the scheduler is gone; the signal must not be
        }
      }
    }

    @Override
    public void run() {
      int missed = 1;
      do {
        emit();
        missed = draining.addAndGet(-missed);
      } while (missed != 0);
    }

    private void emit() {
      if (!begun) {
        return;
      }
      while (!over && demand.get() > 0) {
        Message message = take();
        if (message == null) {
          break;
        }
        try {
          actual.onNext(message);
        } catch (Throwable failure) {
          Signals.thrownInNext(failure);
          misuse = failure;
          break;
        }
        demand.updateAndGet(n -> n == Long.MAX_VALUE ? n : n - 1);
      }
      Throwable wrong = misuse;
      if (!over && (wrong != null || inbox.closed)) {
        over = true;
        leave();
        if (wrong != null) {
          Signals.error(actual, wrong);
        } else {
          Signals.complete(actual);
        }
        signals.dispose();
      }
    }

    private @Nullable Message take() {
      if (!inbox.taking.compareAndSet(false, true)) {
        return null; // the reader before this one is on its way out, and wakes this one when it is
      }
      Message message = over ? null : inbox.messages.poll();
      inbox.taking.set(false);
      if (over) {
        inbox.drainReader();
        inbox.dropRest();
      }
      if (message != null) {
        inbox.taken.accept((PeerLink) message.sender(), message.bytes().remaining());
      }
      return message;
    }

    /** Makes room for the next reader. */
    private void leave() {
      ticket.leave();
      inbox.reader.compareAndSet(this, null);
      inbox.dropRest();
    }
  }
}
