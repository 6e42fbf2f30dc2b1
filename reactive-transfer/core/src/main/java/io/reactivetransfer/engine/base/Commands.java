package io.reactivetransfer.engine.base;

import io.reactivetransfer.TransferException;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Doorbell;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jctools.queues.varhandle.MpscUnboundedVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The one queue on the way down: what other threads want done on the NIC thread. When that has
 * ended, they do it themselves, one at a time.
 */
public final class Commands implements Executor {

  private static final int CHUNK = 256;

  private final MpscUnboundedVarHandleArrayQueue<Runnable> queue =
      new MpscUnboundedVarHandleArrayQueue<>(CHUNK);
  private final Owner owner;
  private final SignalScheduler signals;
  private final Defects defects;
  private final Runnable afterwards;
  private @Nullable Doorbell doorbell;
  private volatile boolean ended;

  /**
   * None yet.
   *
   * @param afterwards what is to be done after commands when the NIC thread has ended
   */
  public Commands(Owner owner, SignalScheduler signals, Defects defects, Runnable afterwards) {
    this.owner = owner;
    this.signals = signals;
    this.defects = defects;
    this.afterwards = afterwards;
  }

  /** From now on this is rung for each command. */
  public void begin(Doorbell doorbell) {
    this.doorbell = doorbell;
    owner.begin();
  }

  /** Who may touch what the NIC thread owns. */
  public Owner owner() {
    return owner;
  }

  /** Runs a command on the NIC thread. From any thread; after the end, on the caller's. */
  @Override
  public void execute(Runnable command) {
    queue.offer(command);
    if (ended) {
      runAfterEnd();
    } else {
      Doorbell bell = doorbell;
      if (bell == null) {
        throw new IllegalStateException("the engine has no thread yet");
      }
      bell.ring();
    }
  }

  /** Asks something on the NIC thread on each subscription; the answer comes as a signal. */
  public <T> Mono<T> ask(Consumer<Answer<T>> question) {
    return Assembly.of(
        new AnswerMono<T>(signals.get(), answer -> execute(() -> answer(answer, question))));
  }

  /**
   * Has a question answered; what is thrown is the answer, and if it must not be, the end of all.
   */
  public <T> void answer(Answer<T> answer, Consumer<Answer<T>> question) {
    try {
      question.accept(answer);
    } catch (TransferException | BackendException e) {
      answer.error(e);
    } catch (RuntimeException | Error e) {
      answer.error(e);
      throw e;
    }
  }

  // ---- the NIC thread ----

  /** Runs what has come, up to so many; returns how many there were. */
  public int run(int limit) {
    int done = 0;
    Runnable command;
    while (done < limit && !ended && (command = queue.relaxedPoll()) != null) {
      command.run();
      done++;
    }
    return done;
  }

  /** Whether there are no turns any more. From any thread. */
  public boolean haveEnded() {
    return ended;
  }

  /** There are no turns any more: from here on, a lock guards what the NIC thread owned. */
  public void end() {
    ended = true;
    runAfterEnd();
  }

  private void runAfterEnd() {
    ReentrantLock afterEnd = owner.afterEnd();
    while (!queue.isEmpty() && afterEnd.tryLock()) {
      try {
        Runnable command;
        while ((command = queue.relaxedPoll()) != null) {
          defects.attempt("an action after its end", command);
        }
        defects.attempt("signalling", afterwards);
      } finally {
        afterEnd.unlock();
      }
    }
  }
}
