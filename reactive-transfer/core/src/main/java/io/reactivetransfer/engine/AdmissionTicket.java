package io.reactivetransfer.engine;

import java.util.concurrent.atomic.AtomicBoolean;

/** One entry to the {@link Admission}, given back once whoever says so first. */
final class AdmissionTicket {

  private final Admission admission;
  private final AtomicBoolean left = new AtomicBoolean();

  AdmissionTicket(Admission admission) {
    this.admission = admission;
  }

  void leave() {
    if (left.compareAndSet(false, true)) {
      admission.leave();
    }
  }
}
