package io.reactivetransfer.kvcache;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Peer;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import reactor.test.scheduler.VirtualTimeScheduler;

/** Whom a router asks next. */
class RouterLoadsTest {

  private final VirtualTimeScheduler time = VirtualTimeScheduler.create();
  private final RouterLoads loads = new RouterLoads(new KvTimers(time));
  private final Peer a = peer(1);
  private final Peer b = peer(2);
  private final List<Peer> both = List.of(a, b);

  private static Peer peer(long number) {
    EngineId id = new EngineId(0, number);
    return (Peer)
        Proxy.newProxyInstance(
            Peer.class.getClassLoader(), new Class<?>[] {Peer.class}, (proxy, method, any) -> id);
  }

  private List<Long> next(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> loads.begin(both))
        .map(attempt -> attempt.peer().id().low())
        .toList();
  }

  @Test
  void theFewestThenTheOneThatWasAskedLongestAgo() {
    assertThat(next(4)).containsExactly(1L, 2L, 1L, 2L);
  }

  @Test
  void anEndCountsOnce() {
    RouterLoads.Attempt first = loads.begin(both);
    first.arrived();
    first.ended();
    first.failed();
    assertThat(next(4)).containsExactly(2L, 1L, 2L, 1L);
  }

  /** A node that dies fails all that it has. */
  @Test
  void whatFailsTogetherCountsOnce() {
    List<RouterLoads.Attempt> all =
        IntStream.range(0, 10).mapToObj(i -> loads.begin(List.of(a))).toList();
    all.forEach(RouterLoads.Attempt::failed);
    assertThat(next(3)).containsExactly(2L, 2L, 2L);
    time.advanceTimeBy(Duration.ofMillis(501));
    assertThat(next(3)).containsExactly(1L, 1L, 1L);
  }

  @Test
  void eachFurtherFailureTakesTwiceAsLongUntilOneHasArrived() {
    for (int failures = 0; failures < 3; failures++) {
      loads.begin(List.of(a)).failed();
      time.advanceTimeBy(Duration.ofMillis(499L << failures));
      loads.begin(both).ended();
      assertThat(loads.begin(both).peer()).as("after %d failures", failures + 1).isSameAs(b);
      time.advanceTimeBy(Duration.ofMillis(2L << failures));
    }
    loads.begin(List.of(a)).arrived();
    loads.begin(List.of(a)).failed();
    time.advanceTimeBy(Duration.ofMillis(501));
    assertThat(loads.begin(both).peer()).isSameAs(a);
  }

  @Test
  void whereAllRestOneIsAskedAllTheSame() {
    loads.begin(List.of(a)).failed();
    loads.begin(List.of(b)).failed();
    assertThat(next(2)).containsExactly(1L, 2L);
  }

  @Test
  void forgetsThoseThatAreNotThereAnyMore() {
    RouterLoads.Attempt runs = loads.begin(List.of(a));
    loads.begin(List.of(b)).ended();
    loads.keepOnly(List.of());
    assertThat(loads.size()).isEqualTo(1);
    runs.failed();
    loads.keepOnly(List.of());
    assertThat(loads.size()).as("one that has failed may come back").isEqualTo(1);
    time.advanceTimeBy(Duration.ofMinutes(2));
    loads.keepOnly(List.of());
    assertThat(loads.size()).isZero();
  }
}
