package io.reactivetransfer.spring;

import io.reactivetransfer.config.SecretFiles;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Schedulers;
import reactor.util.Logger;
import reactor.util.Loggers;

/**
 * Reads the secrets of engines that came from files again, every now and then: a volume of
 * Kubernetes, or whoever writes them, tells nobody that it has other ones.
 */
final class SecretRenewal implements Disposable {

  /** How long an engine may prove what its file does not hold any more. */
  static final Duration INTERVAL = Duration.ofSeconds(10);

  private static final Logger LOG = Loggers.getLogger(SecretRenewal.class);

  /** The files of one engine, and what has come of them. */
  private record Followed(SecretFiles files, Rounds rounds) {}

  private final Map<String, Followed> followed = new ConcurrentHashMap<>();
  private final Map<String, String> refused = new ConcurrentHashMap<>();
  private final AtomicBoolean begun = new AtomicBoolean();
  private final Disposable.Swap reading = Disposables.swap();

  /**
   * Those of the engine of this name, from now on: where beans that are made after it take minutes,
   * its secrets may be renewed before the context has started.
   */
  void follow(String engine, SecretFiles its) {
    followed.put(engine, new Followed(its, new Rounds()));
    if (begun.compareAndSet(false, true)) {
      long millis = INTERVAL.toMillis();
      reading.update(
          Schedulers.boundedElastic()
              .schedulePeriodically(this::readAgain, millis, millis, TimeUnit.MILLISECONDS));
    }
  }

  /** Reads all of them once. Blocks, and throws nothing: what is refused changes nothing. */
  void readAgain() {
    followed.forEach((engine, its) -> {
      try {
        boolean isNew = its.files().readAgain();
        its.rounds().read(isNew);
        boolean wasRefused = refused.remove(engine) != null;
        if (isNew || wasRefused) {
          LOG.info("engine '{}' proves the secrets that its files have now", engine);
        }
      } catch (RuntimeException e) {
        String reason = String.valueOf(e.getMessage());
        its.rounds().refused(reason);
        if (!reason.equals(refused.put(engine, reason))) {
          LOG.error("engine '" + engine + "' keeps the secrets that it has: " + reason);
        }
      }
    });
  }

  /**
   * Which round the engine of this name has, and no word of the secrets themselves; empty if none
   * of its secrets came from a file.
   */
  Map<String, Object> shown(String engine) {
    Followed its = followed.get(engine);
    if (its == null) {
      return Map.of();
    }
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("valid", its.files().valid());
    details.putAll(its.rounds().shown());
    return details;
  }

  @Override
  public void dispose() {
    reading.dispose();
  }

  @Override
  public boolean isDisposed() {
    return reading.isDisposed();
  }
}
