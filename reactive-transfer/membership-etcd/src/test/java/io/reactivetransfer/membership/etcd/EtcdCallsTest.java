package io.reactivetransfer.membership.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.grpc.Status;
import org.junit.jupiter.api.Test;

/** What the client says where an etcd has no leader. */
class EtcdCallsTest {

  private static final Status NO_LEADER =
      Status.UNAVAILABLE.withDescription("etcdserver: no leader");

  @Test
  void thatThereIsNoLeaderIsSeenAlsoWhereItHasKeptTheClientFromAToken() {
    Status withoutToken = Status.UNAUTHENTICATED.withCause(NO_LEADER.asRuntimeException());
    assertThat(EtcdCalls.isWithoutLeader(NO_LEADER.asRuntimeException())).isTrue();
    assertThat(EtcdCalls.isWithoutLeader(withoutToken.asRuntimeException())).isTrue();
  }

  @Test
  void nothingElseIsTakenForThat() {
    Status wrong = Status.INVALID_ARGUMENT.withDescription("etcdserver: authentication failed");
    Status withoutToken = Status.UNAUTHENTICATED.withCause(wrong.asRuntimeException());
    assertThat(EtcdCalls.isWithoutLeader(withoutToken.asRuntimeException())).isFalse();
    assertThat(EtcdCalls.isWithoutLeader(Status.UNAVAILABLE.asRuntimeException())).isFalse();
    assertThat(EtcdCalls.isWithoutLeader(new IllegalStateException())).isFalse();
  }
}
