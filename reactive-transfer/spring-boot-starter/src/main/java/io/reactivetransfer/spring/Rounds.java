package io.reactivetransfer.spring;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which round of its renewals something has that is read again while an engine is open: how often
 * and when it has become another one, and why what came last was refused. From any thread.
 */
final class Rounds {

  private int renewals;
  private Instant since = now();
  private @Nullable String refused;

  /** It was read, and nothing is wrong with it. */
  synchronized void read(boolean isNew) {
    if (isNew) {
      renewals++;
      since = now();
    }
    refused = null;
  }

  /** What was read last was refused, and the one before stays. */
  synchronized void refused(String reason) {
    refused = reason;
  }

  /** To be shown. */
  synchronized Map<String, Object> shown() {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("renewals", renewals);
    details.put("since", since.toString());
    String reason = refused;
    if (reason != null) {
      details.put("refused", reason);
    }
    return details;
  }

  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS);
  }
}
