package io.reactivetransfer.membership.etcd;

import io.grpc.Status;
import io.reactivetransfer.membership.MembershipException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Which failures of the client are refusals, and which pass. */
class AttemptsTest {

  private static Flux<String> failingOnce(Status status) {
    AtomicBoolean failed = new AtomicBoolean();
    return Flux.defer(() ->
        failed.compareAndSet(false, true)
            ? Flux.error(status.asRuntimeException())
            : Flux.just("done"));
  }

  private static void expectPasses(Status status) {
    StepVerifier.create(Attempts.at("try", failingOnce(status)))
        .expectNext("done")
        .expectComplete()
        .verify(Duration.ofSeconds(20));
  }

  private static void expectFinal(Status status) {
    StepVerifier.create(Attempts.at("try", failingOnce(status)))
        .expectError(MembershipException.class)
        .verify(Duration.ofSeconds(20));
  }

  private static Status withoutToken(Status cause) {
    return Status.UNAUTHENTICATED.withCause(cause.asRuntimeException());
  }

  @Test
  void whoeverGotNoTokenBecauseEtcdWasAwayIsNotRefused() {
    expectPasses(withoutToken(Status.UNAVAILABLE.withDescription("etcdserver: no leader")));
    expectPasses(withoutToken(Status.DEADLINE_EXCEEDED));
    expectPasses(withoutToken(Status.UNKNOWN));
  }

  @Test
  void aWrongPasswordIsARefusal() {
    expectFinal(withoutToken(Status.INVALID_ARGUMENT.withDescription("authentication failed")));
    expectFinal(Status.UNAUTHENTICATED.withCause(new IllegalArgumentException("no user")));
    expectFinal(Status.UNAUTHENTICATED);
  }

  /** Of a token that it does not know, etcd may say that its user may not watch. */
  @Test
  void aTokenThatEtcdDoesNotTakeIsNoRefusal() {
    expectPasses(Status.CANCELLED.withDescription("etcdserver: permission denied"));
    expectPasses(Status.CANCELLED.withDescription("etcdserver: invalid auth token"));
    expectPasses(Status.UNAUTHENTICATED.withDescription("etcdserver: invalid auth token"));
    expectPasses(
        Status.INVALID_ARGUMENT.withDescription("etcdserver: revision of auth store is old"));
    expectPasses(Status.CANCELLED);
    expectFinal(Status.PERMISSION_DENIED.withDescription("etcdserver: permission denied"));
  }
}
