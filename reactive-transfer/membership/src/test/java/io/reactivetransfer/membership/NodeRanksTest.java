package io.reactivetransfer.membership;

import static io.reactivetransfer.membership.TestEngines.PATIENCE;
import static io.reactivetransfer.membership.TestEngines.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A group waits until each of its ranks is there once. */
@Timeout(60)
class NodeRanksTest {

  private final TestEngines engines = new TestEngines();
  private final FakeSource source = new FakeSource();
  private final TransferEngine own = engines.open();

  private CompletableFuture<List<PeerAddress>> ranks(int ranks, Duration deadline) {
    return NodeRanks.addresses(own, source::changes, "prefill", ranks, deadline).toFuture();
  }

  private void enter(String name, TransferEngine engine, int rank) {
    source.sink().exists(node(name, engine).withLabel("rank", String.valueOf(rank)));
  }

  @AfterEach
  void close() {
    engines.close();
  }

  @Test
  void allInTheirOrderWithThisOne() {
    TransferEngine two = engines.open();
    TransferEngine zero = engines.open();
    CompletableFuture<List<PeerAddress>> ranks = ranks(3, PATIENCE);
    enter("c", two, 2);
    enter("b", own, 1);
    source.sink().exists(node("without-a-number", engines.open()));
    assertThat(ranks).isNotDone();
    enter("a", zero, 0);
    assertThat(ranks.join()).containsExactly(zero.address(), own.address(), two.address());
    assertThat(source.ends).hasValue(1);
  }

  /** The old one's lease is not over. */
  @Test
  void oneThatWasStartedAgainCountsWhenTheOldOneIsDead() {
    TransferEngine old = engines.open();
    old.close().block(PATIENCE);
    TransferEngine next = engines.open();
    CompletableFuture<List<PeerAddress>> ranks = ranks(1, PATIENCE);
    enter("old", old, 0);
    assertThat(ranks).isNotDone();
    enter("next", next, 0);
    assertThat(ranks.join()).containsExactly(next.address());
  }

  @Test
  void saysWhoIsMissingOrThereTwice() {
    TransferEngine dead = engines.open();
    TransferEngine a = engines.open();
    TransferEngine b = engines.open();
    dead.close().block(PATIENCE);
    CompletableFuture<List<PeerAddress>> ranks = ranks(4, Duration.ofSeconds(10));
    enter("self", own, 0);
    enter("twice-a", a, 1);
    enter("twice-b", b, 1);
    enter("dead", dead, 2);
    assertThatThrownBy(ranks::join)
        .rootCause()
        .isInstanceOf(MembershipException.class)
        .hasMessageMatching(
            "expected one living prefill for each rank of 0 to 3 within PT10S, got 1; of these"
                + " there is none, or more than one: 1 \\[twice-a at .*: ALIVE, twice-b at .*:"
                + " ALIVE\\], 2 \\[dead at .*: LOST \\(.*\\)\\], 3; each needs the role, and a"
                + " label 'rank'");
    assertThat(source.ends).hasValue(1);
  }

  @Test
  void refusesWhatCannotBe() {
    assertThatThrownBy(() -> ranks(0, PATIENCE)).hasMessage("expected 1 rank or more, got 0");
    assertThatThrownBy(() -> ranks(1, Duration.ZERO))
        .hasMessage("expected a deadline above 0 and of at most 365 days, got PT0S");
  }

  @Test
  void endsWithTheEngine() {
    CompletableFuture<List<PeerAddress>> ranks = ranks(1, PATIENCE);
    own.close().block(PATIENCE);
    assertThatThrownBy(ranks::join).hasRootCauseMessage("the engine was closed");
  }
}
