package io.reactivetransfer.tck;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.process.EngineProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Processes that a rule has left, for the rules after it: they go on with another engine, which
 * takes a tenth of the processor time that a JVM takes to start.
 */
final class IdleProcesses {

  /** What a process was started with. */
  record Kind(Class<? extends Supplier<Backend>> backend, List<String> jvmOptions) {}

  private record Idle(Kind kind, EngineProcess process) {}

  private final boolean isKeeping;
  private final List<Idle> left = new ArrayList<>();

  /** Ends each process at once, unless it keeps them. */
  IdleProcesses(boolean isKeeping) {
    this.isKeeping = isKeeping;
  }

  /** Takes one of this kind, with an engine that nobody knows yet; null if there is none. */
  synchronized @Nullable EngineProcess take(Kind kind, Duration liveness) {
    Iterator<Idle> all = left.iterator();
    while (all.hasNext()) {
      Idle idle = all.next();
      if (idle.kind().equals(kind)) {
        all.remove();
        if (idle.process().renew(liveness)) {
          return idle.process();
        }
        idle.process().close();
      }
    }
    return null;
  }

  /** Keeps one for a rule after this one, or ends it. */
  synchronized void leave(Kind kind, EngineProcess process) {
    if (isKeeping && goesOn(process)) {
      left.add(new Idle(kind, process));
    } else {
      process.close();
    }
  }

  /** One that stands still would not see that this JVM has ended, and stay for ever. */
  private static boolean goesOn(EngineProcess process) {
    try {
      if (process.isThere() && process.isPaused()) {
        process.resume();
      }
      return process.isThere();
    } catch (IllegalStateException e) {
      return false; // somebody else has ended it, so it gets no signal
    }
  }

  /** Ends them all. */
  synchronized void end() {
    left.forEach(idle -> idle.process().close());
    left.clear();
  }
}
