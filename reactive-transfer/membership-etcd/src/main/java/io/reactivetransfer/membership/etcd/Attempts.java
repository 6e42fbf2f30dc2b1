package io.reactivetransfer.membership.etcd;

import io.etcd.jetcd.common.exception.ErrorCode;
import io.etcd.jetcd.common.exception.EtcdException;
import io.etcd.jetcd.common.exception.EtcdExceptionFactory;
import io.etcd.jetcd.support.Errors;
import io.reactivetransfer.membership.MembershipException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.util.Logger;
import reactor.util.Loggers;
import reactor.util.retry.Retry;

/**
 * Tries again what has failed, ever less often. A refusal that looks like a mistake in the
 * configuration is final, but only as long as nothing has succeeded: later it may be that a
 * password is being changed, and whoever is entered is not to be lost for that.
 */
final class Attempts {

  private static final Logger LOG = Loggers.getLogger(Attempts.class);

  private static final Duration FIRST = Duration.ofMillis(100);

  /** Between two attempts; what waits for a connection takes the time of a call besides. */
  static final Duration LONGEST = Duration.ofSeconds(1);

  private static final Set<ErrorCode> REFUSALS =
      Set.of(
          ErrorCode.INVALID_ARGUMENT,
          ErrorCode.PERMISSION_DENIED,
          ErrorCode.UNAUTHENTICATED,
          ErrorCode.FAILED_PRECONDITION,
          ErrorCode.UNIMPLEMENTED);

  private static final Set<String> OF_TOKENS =
      Set.of(Errors.INVALID_AUTH_TOKEN_ERROR_MESSAGE, Errors.ERROR_AUTH_STORE_OLD);

  /** Of how many reasons it warns each time that etcd is away. */
  private static final int MAX_WARNED = 3;

  /** Ports, times and the like, which make no other reason. */
  private static final Pattern DIGITS = Pattern.compile("[0-9]+");

  private final String what;
  private final Set<String> warnedOf = new HashSet<>();
  private volatile boolean hasSucceeded;

  private Attempts(String what) {
    this.what = what;
  }

  /**
   * Subscribes to it again whenever it fails, until a failure is final. What it emits is taken for
   * success, so that the next failure is tried again soon.
   *
   * @param what for the log and the final error
   */
  static <T> Flux<T> at(String what, Flux<T> attempt) {
    return Flux.defer(() -> {
      Attempts attempts = new Attempts(what);
      return attempt
          .doOnNext(_ -> attempts.hasSucceeded = true)
          .onErrorMap(attempts::isFinal, attempts::toFinal)
          .retryWhen(attempts.again());
    });
  }

  private Retry again() {
    return Retry.backoff(Long.MAX_VALUE, FIRST)
        .maxBackoff(LONGEST)
        .transientErrors(true)
        .filter(failure -> !(failure instanceof MembershipException))
        .doBeforeRetry(failed -> log(failed.failure(), failed.totalRetriesInARow()));
  }

  /**
   * Once for each time that etcd is away, and again where there is another reason: of a connection
   * that was lost, only the next try may say what keeps it from being made anew.
   */
  private void log(Throwable failure, long retries) {
    String reason = why(failure);
    if (retries == 0) {
      warnedOf.clear();
    }
    if (warnedOf.size() < MAX_WARNED && warnedOf.add(DIGITS.matcher(reason).replaceAll("0"))) {
      LOG.warn("cannot {} with etcd for now, and goes on trying: {}", what, reason);
    } else {
      LOG.debug("still cannot {} with etcd: {}", what, reason);
    }
  }

  /** On one line, with the first cause, if there is one that this does not hold already. */
  static String why(Throwable failure) {
    Throwable first = failure;
    while (first.getCause() != null) {
      first = first.getCause();
    }
    String line = oneLine(failure);
    String cause = oneLine(first);
    return line.contains(cause) ? line : line + "; because of " + cause;
  }

  /** gRPC puts stack traces into what it says of a connection that it could not open. */
  private static String oneLine(Throwable failure) {
    return failure
        .toString()
        .lines()
        .map(String::strip)
        .filter(line -> !line.startsWith("at ") && !line.startsWith("... "))
        .collect(Collectors.joining("; "));
  }

  /** The client says so by exceptions of its own, or by those of gRPC. */
  private boolean isFinal(Throwable failure) {
    return !hasSucceeded && !(failure instanceof MembershipException) && isRefusal(failure);
  }

  /**
   * The client says of whatever has kept it from a token that it is not authenticated, with that as
   * the cause: only if this is a refusal itself, the password is wrong. A token that is not known,
   * or older than the last change of users, is none: the client asks for another one, and gives up
   * where each of some etcds in a row does not know that yet.
   */
  private static boolean isRefusal(Throwable failure) {
    EtcdException reason = EtcdExceptionFactory.toEtcdException(failure);
    if (OF_TOKENS.contains(String.valueOf(reason.getMessage()))) {
      return false;
    }
    Throwable cause = reason.getCause();
    if (reason.getErrorCode() == ErrorCode.UNAUTHENTICATED && cause != null) {
      return cause instanceof IllegalArgumentException || isRefusal(cause);
    }
    return REFUSALS.contains(reason.getErrorCode());
  }

  private Throwable toFinal(Throwable refused) {
    return new MembershipException(
        "etcd refuses to %s: %s; look at user, password and what they may do below this prefix"
            .formatted(what, said(refused)),
        refused);
  }

  /** By etcd, where the client has only said that it got no token. */
  private static @Nullable String said(Throwable refused) {
    Throwable cause = refused.getCause();
    return cause == null ? refused.getMessage() : said(cause);
  }
}
