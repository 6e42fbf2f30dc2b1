package io.reactivetransfer.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import io.reactivetransfer.fuzz.CapturedLog;
import io.reactivetransfer.membership.MembershipException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
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

  @Test
  void theFirstCauseIsSaidWhereTheFailureDoesNotSayIt() {
    Status wrong = Status.INVALID_ARGUMENT.withDescription("authentication failed");
    assertThat(Attempts.why(withoutToken(wrong).asRuntimeException()))
        .contains("UNAUTHENTICATED", "authentication failed");
    assertThat(Attempts.why(wrong.asRuntimeException())).containsOnlyOnce("authentication failed");
  }

  @Test
  void theLogWarnsOfEachReasonOnceUntilItHasSucceeded() {
    AtomicInteger next = new AtomicInteger();
    Flux<Integer> failing =
        Flux.defer(() ->
            switch (next.incrementAndGet()) {
              case 1 -> Flux.error(new IllegalStateException("Network closed"));
              case 2 -> Flux.error(new IllegalStateException("No name matching, after 101 ms"));
              case 3 -> Flux.error(new IllegalStateException("No name matching, after 203 ms"));
              case 4 ->
                  Flux.just(4).concatWith(Flux.error(new IllegalStateException("Network closed")));
              default -> Flux.just(5);
            });
    try (CapturedLog log = new CapturedLog()) {
      StepVerifier.create(Attempts.at("try what fails", failing))
          .expectNext(4, 5)
          .expectComplete()
          .verify(Duration.ofSeconds(20));
      assertThat(log.lines("cannot try what fails with etcd for now"))
          .satisfiesExactly(
              first -> assertThat(first).contains("Network closed"),
              second -> assertThat(second).contains("No name matching, after 101 ms"),
              third -> assertThat(third).contains("Network closed"));
    }
  }
}
