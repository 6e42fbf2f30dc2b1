package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.TestEngine.Driver;
import io.reactivetransfer.spi.EngineIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ServerSocketFactory;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Connections that break, that were never whole, that are slow, and that are many. */
class LossTest {

  /** In a usual build the one that tcp has; sessions are tried with both. */
  static List<Driver> drivers() {
    boolean all = Integer.getInteger("reactivetransfer.rounds", 1) > 1;
    return all ? List.of(Driver.values()) : List.of(Driver.LOOP);
  }

  private static TestEngine engine(Driver driver, Duration connectTimeout) {
    return engine(driver, connectTimeout, HandshakeLimits.DEFAULTS);
  }

  private static TestEngine engine(Driver driver, Duration connectTimeout, HandshakeLimits limits) {
    NettyControl control = NettyControl.builder().handshakeLimits(limits).build();
    return new TestEngine(driver, control, EngineIdentity.draw(), connectTimeout, "test");
  }

  /** Through something that a test can cut, and that both know. */
  private static final class Passage implements AutoCloseable {
    final TestEngine near = new TestEngine(Driver.LOOP);
    final TestEngine far;
    final Relay relay;

    Passage() {
      HostPort outside = FreePort.onLoopback();
      far = new TestEngine(Driver.LOOP, NettyControl.builder().alsoKnownAs(outside).build());
      ServerSocketFactory onPort = new OnPort(ServerSocketFactory.getDefault(), outside.port());
      relay = new Relay(far.address, onPort, SocketFactory.getDefault());
    }

    void send(String text) {
      near.send(far.id(), relay.address(), text.getBytes(StandardCharsets.US_ASCII));
      far.awaitMessage(near.id(), text);
    }

    @Override
    public void close() {
      relay.close();
      near.close();
      far.close();
    }
  }

  @Test
  void aCutIsToldAtOnceOnBothSidesAndOnce() {
    try (Passage passage = new Passage()) {
      passage.send("before");
      passage.relay.cut();
      assertThat(passage.near.awaitLost().peer()).isEqualTo(passage.far.id());
      assertThat(passage.far.awaitLost().peer()).isEqualTo(passage.near.id());
      passage.send("after");
      assertThat(passage.near.lost).hasSize(1);
      assertThat(passage.far.lost).hasSize(1);
    }
  }

  /** One side has lost the session without a word to the other, and dials again. */
  @Test
  void aSessionThatTheOtherSideStillBelievesInIsReplaced() {
    try (Passage passage = new Passage()) {
      passage.send("before");
      passage.relay.keepFarEnds();
      passage.relay.cut();
      passage.near.awaitLost();
      assertThat(passage.far.lost).isEmpty();
      passage.send("after");
      assertThat(passage.far.lost).hasSize(1);
      assertThat(passage.far.lost.element().text()).contains("has begun another session");
      List<Object> log = new ArrayList<>(passage.far.log);
      assertThat(log.get(1)).isEqualTo(passage.far.lost.element());
      assertThat(log).hasSize(3);
    }
  }

  /** Who takes nothing is sent nothing beyond a bound, and costs nobody else anything. */
  @ParameterizedTest
  @MethodSource("drivers")
  void whoDoesNotReadIsNotSentTo(Driver driver) {
    try (TestEngine one = new TestEngine(driver);
        TestEngine slow = new TestEngine(driver);
        TestEngine quick = new TestEngine(driver)) {
      one.meet(slow);
      one.meet(quick);
      slow.pause();
      byte[] bytes = new byte[TestEngine.MAX_MESSAGE_BYTES];
      int taken = 0;
      // What both queues, the sockets and the channel's own bound hold, and no more.
      long deadline = System.nanoTime() + Duration.ofSeconds(20).toNanos();
      for (int refusedInARow = 0; refusedInARow < 1_000 && System.nanoTime() < deadline; ) {
        boolean takes = one.offer(slow, bytes);
        taken += takes ? 1 : 0;
        refusedInARow = takes ? 0 : refusedInARow + 1;
      }
      assertThat(taken).isBetween(16, 64 << 20 >> 16);
      one.send(quick, "past it");
      quick.awaitMessage(one.id(), "past it");
      one.send(slow, "at last"); // which waits for the doorbell
      slow.resume();
      slow.awaitMessage(one.id(), "at last");
      assertThat(slow.messages).hasSize(taken + 1);
      assertThat(one.lost).isEmpty();
    }
  }

  @Test
  void silenceIsNoHandshake() throws IOException {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        TestEngine one = engine(Driver.LOOP, Duration.ofSeconds(2))) {
      HostPort at = new HostPort("127.0.0.1", silent.getLocalPort());
      one.find(1, at);
      one.awaitUntil(() -> !one.notFound.isEmpty());
      assertThat(one.notFound.element().text()).contains("no handshake with the engine at " + at);
      try (Socket socket = new Socket("127.0.0.1", one.address.port())) {
        assertThat(socket.getInputStream().read()).isEqualTo(-1);
      }
    }
  }

  @Test
  void theOldestThatIsHalfOpenGivesWay() throws IOException {
    List<Socket> silent = new ArrayList<>();
    HandshakeLimits limits = new HandshakeLimits(100, 3, 1_000, 1_000);
    try (TestEngine target = engine(Driver.LOOP, Duration.ofSeconds(30), limits);
        TestEngine other = new TestEngine(Driver.LOOP)) {
      for (int i = 0; i < 3; i++) {
        silent.add(new Socket("127.0.0.1", target.address.port()));
      }
      target.awaitUntil(() -> target.known() == 3);
      other.meet(target);
      assertThat(silent.getFirst().getInputStream().read()).isEqualTo(-1);
      silent.getLast().setSoTimeout(50);
      org.assertj.core.api.Assertions.assertThatThrownBy(
              () -> silent.getLast().getInputStream().read())
          .isInstanceOf(java.net.SocketTimeoutException.class);
    } finally {
      for (Socket socket : silent) {
        socket.close();
      }
    }
  }

  @Test
  void oneAddressConnectsOnlySoOften() {
    HandshakeLimits limits = new HandshakeLimits(100, 100, 1, 2);
    List<TestEngine> many = new ArrayList<>();
    try (TestEngine target = engine(Driver.LOOP, Duration.ofSeconds(30), limits)) {
      // One a second and two at first: all of them could be let in after 18 s only.
      for (int i = 0; i < 20; i++) {
        many.add(new TestEngine(Driver.LOOP));
      }
      many.forEach(each -> each.send(target, "here"));
      target.awaitUntil(() -> many.stream().anyMatch(each -> !each.lost.isEmpty()));
      assertThat(many.stream().flatMap(each -> each.lost.stream()))
          .allSatisfy(lost -> assertThat(lost.text()).contains("too many connections"));
    } finally {
      many.forEach(TestEngine::forgetWaiting);
      many.forEach(TestEngine::close);
    }
  }

  /** However often others come and go, nothing of them is left. */
  @ParameterizedTest
  @MethodSource("drivers")
  void whoHasGoneIsForgotten(Driver driver) {
    HandshakeLimits limits = new HandshakeLimits(4_096, 256, 1_000_000, 1_000_000);
    int times = Integer.getInteger("reactivetransfer.growth", 2_000) / 100;
    try (TestEngine target = engine(driver, Duration.ofSeconds(10), limits)) {
      for (int i = 0; i < times; i++) {
        try (TestEngine other = new TestEngine(Driver.LOOP)) {
          other.send(target, "here");
          target.awaitMessage(other.id(), "here");
        }
        target.messages.clear();
      }
      target.awaitUntil(() -> target.known() == 0);
      assertThat(target.lost).hasSize(times);
    }
  }
}
