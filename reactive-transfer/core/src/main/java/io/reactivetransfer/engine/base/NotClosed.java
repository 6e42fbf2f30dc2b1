package io.reactivetransfer.engine.base;

import io.reactivetransfer.TransferException.Origin;
import io.reactivetransfer.TransferFailedException;
import io.reactivetransfer.spi.BackendException;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * NICs could not be closed, so nobody knows whether they have finished with the memory that was
 * registered with them. Whoever waits for that is told so, instead of being told that it is quiet.
 */
public final class NotClosed {

  /** What such a NIC may still touch, and would be freed if it were not reachable. */
  private static final Set<Object> KEPT = ConcurrentHashMap.newKeySet();

  private static final String CONSEQUENCE =
      "it may still read and write memory that was registered with it: free and reuse none of it,"
          + " except that of regions whose close() had completed before, until this process has"
          + " ended";

  private final Origin origin;
  private final String text;
  private final Throwable cause;

  private NotClosed(Origin origin, String text, Throwable cause) {
    this.origin = origin;
    this.text = text;
    this.cause = cause;
  }

  /** This NIC could not be closed, and perhaps others before it. */
  public static NotClosed nic(String name, Throwable failure, @Nullable NotClosed others) {
    String text = "NIC " + name + " could not be closed: " + describe(failure);
    return others == null
        ? new NotClosed(new Origin(null, name, code(failure)), text, failure)
        : new NotClosed(others.origin, others.text + "; " + text, others.cause);
  }

  /** Has this never be collected as garbage. */
  public static void keep(Object touched) {
    KEPT.add(touched);
  }

  /** What a NIC has thrown, with its code. */
  public static String describe(Throwable failure) {
    return failure instanceof BackendException known
        ? known.getMessage() + " (code " + known.code() + ")"
        : failure.toString();
  }

  public static int code(Throwable failure) {
    return failure instanceof BackendException known ? known.code() : 0;
  }

  /** For those who wait for nothing but this. */
  public TransferFailedException error() {
    return new TransferFailedException(text + "; " + CONSEQUENCE, origin, cause);
  }

  /** For those who would otherwise be told of something else, and only of that. */
  public TransferFailedException after(Throwable earlier) {
    if (earlier instanceof TransferFailedException failed
        && String.valueOf(failed.getMessage()).endsWith(CONSEQUENCE)) {
      return failed;
    }
    return new TransferFailedException(
        earlier.getMessage() + "; " + text + "; " + CONSEQUENCE, origin, earlier);
  }
}
