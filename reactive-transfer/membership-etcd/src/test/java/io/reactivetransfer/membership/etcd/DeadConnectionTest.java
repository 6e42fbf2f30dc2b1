package io.reactivetransfer.membership.etcd;

import static io.reactivetransfer.membership.etcd.EtcdServer.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.membership.Node;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Connections that are dead without a word, and a way on which there is none for long. */
class DeadConnectionTest {

  private static final Node FAR = Node.of("far", "decode", new HostPort("10.0.0.7", 1));
  private static final Node JOINS = Node.of("joins", "decode", new HostPort("10.0.0.8", 1));

  @RegisterExtension static final EtcdServer ETCD = new EtcdServer();

  private final List<EtcdMembership> opened = new ArrayList<>();

  private EtcdMembership keep(EtcdMembership.Builder builder) {
    EtcdMembership membership = builder.build();
    opened.add(membership);
    return membership;
  }

  @AfterEach
  void close() {
    opened.forEach(each -> each.close().block(PATIENCE));
  }

  /** By the 30 s of the client itself it would take longer than anybody waits here. */
  @Test
  void aConnectionThatIsDeadIsGivenUpAndAnotherOneTakesItsPlace() throws Exception {
    try (Relay relay = new Relay(ETCD.port())) {
      EtcdMembership cutOff =
          keep(
              EtcdMembership.builder(relay.builder())
                  .lease(Duration.ofSeconds(2))
                  .callTimeout(Duration.ofSeconds(1)));
      EtcdMembership other = keep(EtcdMembership.builder(ETCD.builder()));
      View seenFar = new View(cutOff);
      View seenNear = new View(other);
      cutOff.register(FAR).onErrorComplete().subscribe();
      seenFar.until(FAR);
      seenNear.until(FAR);
      relay.forget();
      other.register(JOINS).onErrorComplete().subscribe();
      seenNear.until(JOINS);
      seenFar.until(FAR, JOINS);
      seenNear.until(FAR, JOINS);
    }
  }

  /**
   * gRPC alone waits longer after each try, and makes the eighth one after 34 s at the earliest.
   */
  @Test
  void howeverLongNobodyConnectsItIsTriedAgainSoon() throws Exception {
    try (Relay relay = new Relay(ETCD.port())) {
      relay.cut();
      EtcdMembership cutOff = keep(EtcdMembership.builder(relay.builder()));
      View seenFar = new View(cutOff);
      await().atMost(PATIENCE).until(() -> relay.refused.get() >= 8);
      cutOff.register(FAR).onErrorComplete().subscribe();
      relay.mend();
      seenFar.until(FAR);
    }
  }

  /**
   * A client makes some five tries: by then one or the other was as old as one gets before it was
   * given up.
   */
  @Test
  @EnabledIfSystemProperty(named = "reactivetransfer.tck.all", matches = "true")
  void noPauseBetweenTwoTriesIsLongerThanALeaseHoweverLongItTakes() throws Exception {
    try (Relay relay = new Relay(ETCD.port())) {
      relay.cut();
      EtcdMembership cutOff = keep(EtcdMembership.builder(relay.builder()));
      cutOff.register(FAR).onErrorComplete().subscribe();
      new View(cutOff);
      await().atMost(Duration.ofMinutes(5)).until(() -> relay.refused.get() >= 25);
      assertThat(Duration.ofNanos(relay.longestPauseNanos.get()))
          .isLessThan(Duration.ofSeconds(10)); // the lease, unless somebody sets another one
    }
  }
}
