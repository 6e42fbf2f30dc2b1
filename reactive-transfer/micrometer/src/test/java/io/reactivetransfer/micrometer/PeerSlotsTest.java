package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.sum;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Whose meters there are when there are more peers than the limit, and what becomes of counts. */
class PeerSlotsTest {

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final PeerSlots slots =
      new PeerSlots(new Meters(registry, Tags.empty()), 2, peer -> ((FakePeer) peer).name());

  private List<String> names() {
    return registry.find("reactive.transfer.peer.up").meters().stream()
        .map(meter -> meter.getId().getTag("peer"))
        .sorted()
        .toList();
  }

  private double writes() {
    return sum(registry, "peer.writes");
  }

  private double writes(String name) {
    return sum(registry, "peer.writes", "peer", name);
  }

  @Test
  void thoseBeyondTheLimitAreOne() {
    List<FakePeer> peers =
        IntStream.range(0, 10).mapToObj(i -> FakePeer.alive("p" + i).wrote(1)).toList();
    slots.sync(List.copyOf(peers));
    assertThat(names()).containsExactly("other", "p0", "p1");
    assertThat(writes("other")).isEqualTo(8);
    peers.get(5).wrote(3);
    assertThat(writes("other")).isEqualTo(11);
    assertThat(sum(registry, "peer.up", "peer", "other")).isEqualTo(8);
    assertThat(registry.getMeters()).hasSize(54);
  }

  @Test
  void onesThatOnlySomebodyHoldsAreNotShown() {
    FakePeer held = FakePeer.unknown("p0");
    slots.sync(List.of(held));
    assertThat(registry.getMeters()).isEmpty();
    held.wrote(1);
    slots.sync(List.of(held));
    assertThat(names()).containsExactly("p0");
  }

  @Test
  void oneThatOnlyMessagesWaitForIsShown() {
    slots.sync(List.of(FakePeer.unknown("p0").waits(2)));
    assertThat(names()).containsExactly("p0");
    assertThat(sum(registry, "peer.messages.waiting", "peer", "p0")).isEqualTo(2);
  }

  @Test
  void forgottenOnesLoseTheirMeters() {
    FakePeer stays = FakePeer.alive("p0");
    slots.sync(List.of(stays, FakePeer.alive("p1")));
    assertThat(names()).containsExactly("p0", "p1");
    slots.sync(List.of(stays));
    assertThat(names()).containsExactly("p0");
    slots.remove();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  void oneThatLivesTakesThePlaceOfOneThatDoesNot() {
    FakePeer first = FakePeer.alive("p0").wrote(5);
    FakePeer second = FakePeer.alive("p1");
    FakePeer third = FakePeer.alive("p2").wrote(7);
    slots.sync(List.of(first, second, third));
    assertThat(writes("other")).isEqualTo(7);
    first.lose();
    slots.sync(List.of(first, second, third));
    assertThat(names()).containsExactly("other", "p1", "p2");
    assertThat(writes("other")).as("what it did there").isEqualTo(7);
    assertThat(writes("p2")).as("what it did since").isZero();
    third.wrote(1);
    assertThat(writes("p2")).isEqualTo(1);
    assertThat(writes("other")).isEqualTo(7);
  }

  @Test
  void noCounterFallsWhenOneOfSeveralIsForgotten() {
    FakePeer before = FakePeer.alive("p0").wrote(5);
    FakePeer restarted = FakePeer.alive("p0").wrote(2);
    slots.sync(List.of(before, restarted));
    assertThat(names()).containsExactly("p0");
    assertThat(writes()).isEqualTo(7);
    before.lose();
    assertThat(sum(registry, "peer.up")).isEqualTo(1);
    slots.sync(List.of(restarted));
    assertThat(writes()).isEqualTo(7);
    restarted.wrote(1);
    assertThat(writes()).isEqualTo(8);
  }
}
