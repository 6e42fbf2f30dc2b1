package io.reactivetransfer.engine.base;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Something that was entered, such as the {@link Admission}, and is left once, whoever says so
 * first.
 */
public final class AdmissionTicket {

  private final Runnable leave;
  private final AtomicBoolean left = new AtomicBoolean();

  AdmissionTicket(Admission admission) {
    this(admission::leave);
  }

  public AdmissionTicket(Runnable leave) {
    this.leave = leave;
  }

  public void leave() {
    if (left.compareAndSet(false, true)) {
      leave.run();
    }
  }
}
