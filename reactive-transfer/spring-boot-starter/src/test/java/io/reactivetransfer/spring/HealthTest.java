package io.reactivetransfer.spring;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.health.contributor.Status;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Health says what is not there, by name, and when it is back. */
class HealthTest {

  /** A network of its own, on which the second NIC fails when a test wants it. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class FailingNic {

    static final AtomicBoolean FAILS = new AtomicBoolean();

    @Bean
    Backend backend() {
      FAILS.set(false);
      AtomicInteger opened = new AtomicInteger();
      return new ForwardingBackend(
          LoopbackBackend.builder().network(new LoopbackNetwork()).defaultNics(2).build(),
          (domain, context) -> {
            boolean isSecond = opened.incrementAndGet() == 2;
            return new ForwardingDomain(domain) {
              @Override
              public int poll(CompletionSink sink) {
                if (isSecond && FAILS.get()) {
                  sink.nicFailed(5, "its cable was pulled");
                }
                return super.poll(sink);
              }
            };
          });
    }
  }

  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class OwnEngine {

    @Bean(destroyMethod = "")
    TransferEngine decodeTransferEngine() {
      return TransferEngineBuilder.create().backend("loopback").open().block();
    }
  }

  @Test
  void anExpectedPeerIsNamedWhileItIsNotThere() {
    int port = Node.freePort();
    String at = "127.0.0.1:" + port;
    try (Node node = Node.overTcp("health.peers=" + at)) {
      node.awaitDown("peer " + at + " is not there");
      Node first = Node.overTcp("port=" + port);
      node.awaitUp();
      assertThat(node.health().getDetails()).containsEntry("peers", Map.of(at, "UP"));
      first.close();
      node.awaitDown("peer " + at + " is not there");
      try (Node second = Node.overTcp("port=" + port)) {
        node.awaitUp();
        second.engine().close().block(Node.PATIENCE); // and its context lives
        node.awaitDown("peer " + at + " is not there");
        assertThat(second.health().getStatus()).isEqualTo(Status.DOWN);
        assertThat(second.health().getDetails()).containsEntry("reason", "the engine was closed");
      }
    }
  }

  @Test
  void allNodesMayHaveTheSameList() {
    int port = Node.freePort();
    String byName = "localhost:" + port;
    String byAddress = "127.0.0.1:" + port;
    try (Node node =
        Node.overTcp(
            "port=" + port,
            "advertised-host=localhost",
            "health.peers=" + byName + "," + byAddress)) {
      node.awaitUp();
      assertThat(node.health().getDetails())
          .containsEntry("peers", Map.of(byName, "UP", byAddress, "UP"));
    }
  }

  @Test
  void aPeerThatWasFoundIsNamedWhileItIsLostWhereThatCounts() {
    int port = Node.freePort();
    String at = "127.0.0.1:" + port;
    try (Node node = Node.overTcp("health.lost-peers=true")) {
      node.awaitUp();
      Node first = Node.overTcp("port=" + port);
      assertThat(node.write(first, "hello")).isEqualTo("hello");
      node.awaitUp();
      first.close();
      node.awaitDown("peer " + at + " is lost");
      try (Node second = Node.overTcp("port=" + port)) {
        assertThat(node.write(second, "again")).isEqualTo("again");
        node.awaitUp();
      }
    }
  }

  @Test
  void lostPeersDoNotCountUnlessThatWasSaid() {
    try (Node node = Node.overTcp()) {
      Node other = Node.overTcp();
      assertThat(node.write(other, "hello")).isEqualTo("hello");
      Peer peer = node.engine().peer(other.at()).block(Node.PATIENCE);
      other.close();
      peer.state().takeUntil(state -> state.lossCause() != null).blockLast(Node.PATIENCE);
      assertThat(node.health().getStatus()).isEqualTo(Status.UP);
    }
  }

  @Test
  void aNicThatHasFailedIsNamed() {
    try (Node node = Node.start(FailingNic.class, "reactive-transfer.backend=loopback")) {
      node.awaitUp();
      FailingNic.FAILS.set(true);
      node.awaitDown("NIC loopback1 has failed: its cable was pulled");
    }
  }

  @Test
  void enginesOfTheApplicationHaveTheirHealthToo() {
    try (Node node =
        Node.start(
            OwnEngine.class, "reactive-transfer.engines.decode.health.peers=decode-3.invalid:1")) {
      TransferEngine engine = node.engine();
      assertThat(String.valueOf(node.health("decode").getDetails().get("reason")))
          .contains("peer decode-3.invalid:1 is not there");
      engine.close().block(Node.PATIENCE);
    }
  }
}
