package io.reactivetransfer.cuda;

import java.lang.ref.Cleaner;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.util.Logger;
import reactor.util.Loggers;

/** Says in the log what nobody can close any more. */
final class Leaks {

  private static final Logger LOG = Loggers.getLogger(Leaks.class);
  private static final Cleaner CLEANER = Cleaner.create();

  private Leaks() {}

  /**
   * Watches something until it is closed.
   *
   * @param what for the text, as in "8 bytes of cuda:0"
   * @return false as long as it is not closed; whoever sets it is the one who closes
   */
  static AtomicBoolean watch(Object owner, String what) {
    AtomicBoolean closed = new AtomicBoolean();
    Cleaner.Cleanable _ =
        CLEANER.register(
            owner,
            () -> {
              if (!closed.get()) {
                LOG.error(
                    "never closed, and lost until the process ends, since a NIC may still use it:"
                        + " {}",
                    what);
              }
            });
    return closed;
  }
}
