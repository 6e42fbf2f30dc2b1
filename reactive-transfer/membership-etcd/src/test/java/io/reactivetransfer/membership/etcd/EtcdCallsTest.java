package io.reactivetransfer.membership.etcd;

import static io.reactivetransfer.membership.etcd.EtcdServer.PATIENCE;
import static io.reactivetransfer.membership.etcd.EtcdServer.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.Client;
import io.etcd.jetcd.Lease;
import io.etcd.jetcd.Watch;
import io.etcd.jetcd.support.CloseableClient;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.StreamObserver;
import java.lang.reflect.Proxy;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import reactor.test.StepVerifier;

/** What becomes of what an etcd without a leader refuses, by clients that say what one would. */
class EtcdCallsTest {

  private static final Status NO_LEADER =
      Status.UNAVAILABLE.withDescription("etcdserver: no leader");

  private static Throwable withoutToken(Status cause) {
    return Status.UNAUTHENTICATED.withCause(cause.asRuntimeException()).asRuntimeException();
  }

  /** What has one method only. */
  private static <T> T only(Class<T> type, String method, Function<Object[], Object> answer) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, called, arguments) -> {
              if (!called.getName().equals(method)) {
                throw new UnsupportedOperationException(called.toString());
              }
              return answer.apply(arguments);
            }));
  }

  private static EtcdCalls calls(String part, Object its) {
    return new EtcdCalls(() -> only(Client.class, part, _ -> its), PATIENCE);
  }

  @Test
  void thatThereIsNoLeaderIsSeenAlsoWhereItHasKeptTheClientFromAToken() {
    Status wrong = Status.INVALID_ARGUMENT.withDescription("etcdserver: authentication failed");
    assertThat(EtcdCalls.isWithoutLeader(NO_LEADER.asRuntimeException())).isTrue();
    assertThat(EtcdCalls.isWithoutLeader(withoutToken(NO_LEADER))).isTrue();
    assertThat(EtcdCalls.isWithoutLeader(withoutToken(wrong))).isFalse();
    assertThat(EtcdCalls.isWithoutLeader(Status.UNAVAILABLE.asRuntimeException())).isFalse();
    assertThat(EtcdCalls.isWithoutLeader(new IllegalStateException())).isFalse();
  }

  @Test
  void aLeaseThatAnEtcdWithoutALeaderDoesNotKeepIsNotLost() throws Exception {
    CompletableFuture<StreamObserver<?>> keeping = new CompletableFuture<>();
    CloseableClient kept = new CloseableClient() {};
    Lease lease =
        only(
            Lease.class,
            "keepAlive",
            arguments -> {
              keeping.complete((StreamObserver<?>) arguments[1]);
              return kept;
            });
    List<Throwable> ends = new CopyOnWriteArrayList<>();
    calls("getLeaseClient", lease).keep(1).subscribe(_ -> {}, ends::add);
    StreamObserver<?> keeper = keeping.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    keeper.onError(NO_LEADER.asRuntimeException());
    keeper.onError(withoutToken(NO_LEADER));
    keeper.onError(new IllegalStateException("lost"));
    await().atMost(PATIENCE).until(() -> !ends.isEmpty());
    assertThat(ends).extracting(Throwable::getMessage).containsExactly("lost");
  }

  @Test
  void aWatchThatEtcdsWithoutALeaderRefuseIsAskedForThreeTimes() {
    AtomicInteger asked = new AtomicInteger();
    Watch watch =
        only(
            Watch.class,
            "watch",
            arguments -> {
              asked.incrementAndGet();
              ((Watch.Listener) arguments[2]).onError(withoutToken(NO_LEADER));
              return new Refused();
            });
    StepVerifier.create(calls("getWatchClient", watch).watch(bytes("a"), false, 1))
        .expectError(StatusRuntimeException.class)
        .verify(PATIENCE);
    assertThat(asked).hasValue(3);
  }

  private static final class Refused implements Watch.Watcher {
    @Override
    public void close() {}

    @Override
    public boolean isClosed() {
      return true;
    }

    @Override
    public void requestProgress() {}
  }

  @Test
  void whatIsRefusedIsAskedOfTheNextEtcdSoonUnlessTheUserHasSetSomethingElse() {
    assertThat(Clients.withDefaults(Client.builder()).retryDelay()).isEqualTo(50);
    assertThat(Clients.withDefaults(Client.builder()).retryChronoUnit())
        .isEqualTo(ChronoUnit.MILLIS);
    assertThat(Clients.withDefaults(Client.builder().retryDelay(70)).retryDelay()).isEqualTo(70);
  }
}
