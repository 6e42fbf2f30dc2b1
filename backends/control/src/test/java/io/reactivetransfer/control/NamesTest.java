package io.reactivetransfer.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.Future;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.TestEngine.Driver;
import io.reactivetransfer.control.TestEngine.Found;
import io.reactivetransfer.fuzz.TestNames;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

/** Engines that are reached by a name, which may stand for several addresses. */
class NamesTest {

  @Test
  void anEngineIsFoundAtTheSecondAddressOfItsName() {
    try (TestEngine one = new TestEngine(Driver.LOOP);
        TestEngine two = new TestEngine(Driver.LOOP)) {
      HostPort at = new HostPort(TestNames.TWO_ADDRESSES, two.address.port());
      one.find(1, at);
      one.awaitUntil(() -> !one.log.isEmpty());
      assertThat(one.log).containsExactly(new Found(1, two.id()));
      one.send(two, "hello");
      two.awaitMessage(one.id(), "hello");
    }
  }

  @Test
  void whereNobodyIsAtAnyAddressOfANameNobodyIsFound() {
    try (TestEngine one = new TestEngine(Driver.LOOP)) {
      HostPort nowhere = new HostPort(TestNames.TWO_ADDRESSES, FreePort.onLoopback().port());
      one.find(1, nowhere);
      one.awaitUntil(() -> !one.notFound.isEmpty());
      assertThat(one.notFound.element().text()).contains("cannot connect", nowhere.toString());
      assertThat(one.known()).isZero();
    }
  }

  /** Nothing can be sent to all machines at once over TCP: the system says so without a connect. */
  @Test
  void whereNoNetworkLeadsTheTextSaysSo() {
    try (TestEngine one = new TestEngine(Driver.LOOP)) {
      one.find(1, new HostPort("255.255.255.255", 9));
      one.awaitUntil(() -> !one.notFound.isEmpty());
      String text = one.notFound.element().text();
      assertThat(text).startsWith("cannot connect to the engine at 255.255.255.255:9: ");
      assertThat(text).doesNotContain("null").contains("; does it run there?");
    }
  }

  /** Netty would log that nobody could be told. */
  @Test
  void aLookUpThatTakesLongerThanItsLoopLivesIsDropped() throws InterruptedException {
    Deque<Runnable> lookUps = new ArrayDeque<>();
    DefaultEventExecutor loop = new DefaultEventExecutor();
    InetSocketAddress name = InetSocketAddress.createUnresolved(TestNames.TWO_ADDRESSES, 1);
    var resolver = new OffLoopResolver(lookUps::add).getResolver(loop);
    Future<InetSocketAddress> one = resolver.resolve(name);
    var all = resolver.resolveAll(name);
    loop.shutdownGracefully(0, 0, java.util.concurrent.TimeUnit.SECONDS).sync();
    assertThat(lookUps).hasSize(2);
    lookUps.forEach(Runnable::run);
    assertThat(one.isDone()).isFalse();
    assertThat(all.isDone()).isFalse();
  }
}
