package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.libfabric.Inbound.Guest;
import java.util.HashSet;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Who may connect, and for what. */
class InboundTest {

  private static final long LANDING = 7;
  private static final long OTHER_LANDING = 8;

  private final Inbound inbound = new Inbound(new RandomKeys());
  private final FabricPeer one = new FabricPeer(new EngineId(1, 1));
  private final FabricPeer other = new FabricPeer(new EngineId(2, 2));

  private Guest redeem(long ticket) {
    return Objects.requireNonNull(inbound.redeem(ticket));
  }

  @Test
  void aTicketIsGoodForOneConnection() {
    long ticket = inbound.ticket(one, LANDING);
    assertThat(inbound.ticket(one, LANDING)).as("until it is shown").isEqualTo(ticket);
    assertThat(inbound.connected(redeem(ticket), 100)).isEmpty();
    assertThat(inbound.redeem(ticket)).as("a second time").isNull();
    assertThat(inbound.ticket(one, LANDING)).isNotEqualTo(ticket);
  }

  @Test
  void nobodyConnectsWithoutATicket() {
    inbound.ticket(one, LANDING);
    assertThat(inbound.redeem(0)).isNull();
    assertThat(inbound.redeem(LANDING)).isNull();
  }

  @Test
  void eachPeerAndLandingHasATicketOfItsOwn() {
    Set<Long> tickets = new HashSet<>();
    for (FabricPeer peer : new FabricPeer[] {one, other}) {
      for (long landing : new long[] {LANDING, OTHER_LANDING}) {
        tickets.add(inbound.ticket(peer, landing));
      }
    }
    assertThat(tickets).hasSize(4);
  }

  @Test
  void whoConnectsAgainHasGivenUpWhatItHad() {
    inbound.connected(redeem(inbound.ticket(one, LANDING)), 100);
    assertThat(inbound.connected(redeem(inbound.ticket(one, LANDING)), 101)).containsExactly(100L);
    assertThat(inbound.endLanding(LANDING))
        .as("the first one is not closed yet")
        .containsExactlyInAnyOrder(100L, 101L);
  }

  @Test
  void aPeerThatIsDisconnectedHasNoTicketAndLosesItsConnections() {
    inbound.connected(redeem(inbound.ticket(one, LANDING)), 100);
    inbound.connected(redeem(inbound.ticket(other, LANDING)), 200);
    long unused = inbound.ticket(one, OTHER_LANDING);
    long again = inbound.ticket(one, LANDING);
    assertThat(inbound.endPeer(one)).containsExactly(100L);
    assertThat(inbound.redeem(unused)).isNull();
    assertThat(inbound.redeem(again)).isNull();
    inbound.closed(100);
    assertThat(inbound.isConnection(100)).isFalse();
    assertThat(inbound.isConnection(200)).isTrue();
    assertThat(inbound.endPeer(one)).isEmpty();
  }

  @Test
  void aLandingThatIsClosedLetsNobodyIn() {
    inbound.connected(redeem(inbound.ticket(one, LANDING)), 100);
    inbound.connected(redeem(inbound.ticket(one, OTHER_LANDING)), 101);
    long unused = inbound.ticket(other, LANDING);
    assertThat(inbound.endLanding(LANDING)).containsExactly(100L);
    assertThat(inbound.redeem(unused)).isNull();
    assertThat(inbound.endLanding(LANDING)).as("until it is closed").containsExactly(100L);
    inbound.closed(100);
    assertThat(inbound.endLanding(LANDING)).isEmpty();
    assertThat(inbound.endPeer(one)).containsExactly(101L);
  }
}
