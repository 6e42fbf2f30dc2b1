package io.reactivetransfer.examples.weights;

import io.reactivetransfer.examples.worker.Events;
import io.reactivetransfer.examples.worker.Worker;
import java.io.IOException;
import java.util.Locale;

/** What a process is. */
enum Role {
  TRAINER,
  RANK,
  CONTROLLER;

  /**
   * Opens it.
   *
   * @param index which one of its kind
   */
  Worker open(Plan plan, int index, Events events) throws IOException {
    return switch (this) {
      case TRAINER -> TrainerWorker.open(plan, index);
      case RANK -> RankWorker.open(plan, index);
      case CONTROLLER -> ControllerWorker.open(plan, events);
    };
  }

  /** What it is called. */
  String name(int index) {
    return this == CONTROLLER ? "controller" : this + "-" + index;
  }

  /** As on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
