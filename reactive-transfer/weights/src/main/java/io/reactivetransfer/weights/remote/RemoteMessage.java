package io.reactivetransfer.weights.remote;

import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.WriteOrder;

/**
 * What a controller and its trainers say to each other. Every one may come twice, late, or not at
 * all: orders say what is to be, and a trainer answers each with how it is.
 */
sealed interface RemoteMessage {

  /** Which update it is about. */
  UpdateNumber update();

  /** What a controller says. */
  sealed interface Order extends RemoteMessage {}

  /**
   * Write.
   *
   * @param order what, and where
   * @param checksums of which bytes inference ranks are told sums
   */
  record Start(WriteOrder order, ChecksumScope checksums) implements Order {
    @Override
    public UpdateNumber update() {
      return order.update();
    }
  }

  /** Do not write it, now or later. */
  record Stop(UpdateNumber update) implements Order {}

  /** How is it? */
  record Ask(UpdateNumber update) implements Order {}

  /** What a trainer says. */
  sealed interface Answer extends RemoteMessage {

    /** Its name in the table. */
    String trainer();
  }

  /** It writes. */
  record Accepted(UpdateNumber update, String trainer) implements Answer {}

  /** It writes, and is so far. */
  record Progress(UpdateNumber update, String trainer, RunProgress run) implements Answer {}

  /** All is written. */
  record Done(UpdateNumber update, String trainer, RunProgress run) implements Answer {}

  /** It does not write, and will not. */
  record Failed(UpdateNumber update, String trainer, String why) implements Answer {}
}
