package io.reactivetransfer.membership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.NodeChange.Joined;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.test.StepVerifier;

class FixedMembershipTest {

  private static final Node ONE = Node.of("p-0", "prefill", new HostPort("10.0.0.7", 7400));
  private static final Node TWO = Node.of("p-1", "prefill", new HostPort("fd00::7", 7401));

  @Test
  void eachSubscriptionGetsAllNodesAndThenNothing() {
    FixedMembership membership = FixedMembership.of(ONE, TWO);
    for (int i = 0; i < 2; i++) {
      StepVerifier.create(membership.nodes(), 1)
          .expectNext(new Joined(ONE))
          .thenRequest(1)
          .expectNext(new Joined(TWO))
          .thenRequest(1)
          .expectNoEvent(Duration.ofMillis(50))
          .thenCancel()
          .verify(Duration.ofSeconds(20));
    }
  }

  @Test
  void anEmptyListHasNoNodes() {
    StepVerifier.create(FixedMembership.of(List.of()).nodes())
        .expectSubscription()
        .expectNoEvent(Duration.ofMillis(50))
        .thenCancel()
        .verify(Duration.ofSeconds(20));
  }

  @Test
  void textIsRead() {
    FixedMembership membership =
        FixedMembership.parse("prefill", "p-0=10.0.0.7:7400, p-1 = [fd00::7]:7401");
    assertThat(membership.nodes().take(2).collectList().block(Duration.ofSeconds(20)))
        .containsExactly(new Joined(ONE), new Joined(TWO));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          ''                  | expected name=host:port and a comma between two of them, got nothing
          p-0=a:1,            | expected name=host:port and a comma between two of them, got nothing
          p-0=a:1,b:2         | expected name=host:port and a comma between two of them, got no '='
          p-0=a               | expected host:port, such as
          p 0=a:1             | expected a name of 1 to 260
          p-0=a:1,p-0=b:1     | expected each node once, got two with the name p-0
          """)
  void otherTextIsRefused(String text, String message) {
    assertThatThrownBy(() -> FixedMembership.parse("prefill", text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }
}
