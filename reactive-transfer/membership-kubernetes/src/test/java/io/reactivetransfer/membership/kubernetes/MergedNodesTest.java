package io.reactivetransfer.membership.kubernetes;

import static io.reactivetransfer.membership.kubernetes.Slices.node;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.CapturedLog;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeSink;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.test.scheduler.VirtualTimeScheduler;

/** One endpoint in several slices, in none for a moment, or gone. */
class MergedNodesTest {

  private static final Duration GRACE = Duration.ofSeconds(1);

  private final VirtualTimeScheduler clock = VirtualTimeScheduler.create();
  private final Told told = new Told();
  private final MergedNodes nodes = telling(GRACE, 1_000);

  private MergedNodes notTelling(Duration grace, int maxNodes) {
    ServiceQuery query =
        new ServiceQuery(
            "llm",
            "prefill",
            "prefill",
            new SlicePort(null, Slices.PORT),
            null,
            EndpointState.READY,
            grace);
    return new MergedNodes(clock.createWorker(), query, maxNodes, told);
  }

  private MergedNodes telling(Duration grace, int maxNodes) {
    MergedNodes nodes = notTelling(grace, maxNodes);
    nodes.beginToTell();
    return nodes;
  }

  /** What the sink believes. */
  private static final class Told implements NodeSink {
    private final SortedMap<String, Node> nodes = new TreeMap<>();
    private int leaves;
    private int most;

    @Override
    public void exists(Node node) {
      nodes.put(node.name(), node);
      most = Math.max(most, nodes.size());
    }

    @Override
    public void gone(String name) {
      assertThat(nodes.remove(name)).isNotNull();
      leaves++;
    }

    @Override
    public void all(Collection<Node> nodes) {
      throw new AssertionError("not told of by this");
    }

    @Override
    public void error(Throwable reason) {
      throw new AssertionError(reason);
    }
  }

  @AfterEach
  void stop() {
    clock.dispose();
  }

  private static Found found(String name, String address) {
    return new Found(node(name, address), AddressType.IPV4, true, false);
  }

  private static Found uncounted(String name, String address) {
    return new Found(node(name, address), AddressType.IPV4, false, false);
  }

  @Test
  void allSlicesAreOneListAndEachNodeIsThereOnce() {
    nodes.put("s1", List.of(found("a", "10.0.0.1"), found("b", "10.0.0.2")));
    nodes.put("s2", List.of(found("b", "10.0.0.2"), found("c", "10.0.0.3")));
    assertThat(told.nodes.values())
        .containsExactly(node("a", "10.0.0.1"), node("b", "10.0.0.2"), node("c", "10.0.0.3"));
    nodes.put("s1", List.of(found("a", "10.0.0.1")));
    clock.advanceTimeBy(GRACE.multipliedBy(2));
    assertThat(told.nodes).containsOnlyKeys("a", "b", "c");
    assertThat(told.leaves).isZero();
  }

  @Test
  void whatIsInNoSliceForAMomentStays() {
    nodes.put("s1", List.of(found("a", "10.0.0.1")));
    nodes.put("s1", List.of());
    clock.advanceTimeBy(GRACE.minusMillis(1));
    nodes.put("s2", List.of(found("a", "10.0.0.1")));
    clock.advanceTimeBy(GRACE.multipliedBy(2));
    assertThat(told.nodes).containsOnlyKeys("a");
    assertThat(told.leaves).isZero();
  }

  @Test
  void whatIsInNoSliceForLongerHasLeftAndIsForgotten() {
    nodes.put("s1", List.of(found("a", "10.0.0.1")));
    nodes.put("s1", List.of());
    clock.advanceTimeBy(GRACE.minusMillis(1));
    assertThat(told.nodes).containsOnlyKeys("a");
    clock.advanceTimeBy(Duration.ofMillis(1));
    assertThat(told.nodes).isEmpty();
    assertThat(nodes.size()).isZero();
  }

  @Test
  void eachTimeOfGraceIsWhole() {
    nodes.put("s1", List.of(found("a", "10.0.0.1")));
    nodes.put("s1", List.of());
    clock.advanceTimeBy(GRACE.minusMillis(1));
    nodes.put("s1", List.of(found("a", "10.0.0.1")));
    nodes.put("s1", List.of());
    clock.advanceTimeBy(GRACE.minusMillis(1));
    assertThat(told.nodes).containsOnlyKeys("a");
    clock.advanceTimeBy(Duration.ofMillis(1));
    assertThat(told.nodes).isEmpty();
  }

  @Test
  void whatASliceSaysIsNoNodeLeavesAtOnce() {
    nodes.put("s1", List.of(found("a", "10.0.0.1")));
    nodes.put("s1", List.of(uncounted("a", "10.0.0.1")));
    assertThat(told.nodes).isEmpty();
    nodes.put("s1", List.of());
    clock.advanceTimeBy(GRACE.multipliedBy(2));
    assertThat(told.leaves).isOne();
    assertThat(nodes.size()).isZero();
  }

  @Test
  void oneSliceThatCountsIsEnough() {
    nodes.put("s1", List.of(uncounted("a", "10.0.0.1")));
    assertThat(told.nodes).isEmpty();
    nodes.put("s2", List.of(found("a", "10.0.0.9")));
    assertThat(told.nodes.values()).containsExactly(node("a", "10.0.0.9"));
  }

  @Test
  void whoTookTheNameOfOneThatEndsIsTheNode() {
    Found old = new Found(node("a", "10.0.0.1"), AddressType.IPV4, true, true);
    nodes.put("s1", List.of(old));
    nodes.put("s2", List.of(found("a", "10.0.0.2")));
    assertThat(told.nodes.values()).containsExactly(node("a", "10.0.0.2"));
    nodes.put("s0", List.of(old));
    assertThat(told.nodes.values()).containsExactly(node("a", "10.0.0.2"));
  }

  @Test
  void anAddressOfAnotherTypeIsNoWayOutOfNotBeingReady() {
    Found six = new Found(node("a", "fd00::1"), AddressType.IPV6, true, false);
    nodes.put("six", List.of(six));
    assertThat(told.nodes.values()).containsExactly(node("a", "fd00::1"));
    nodes.put("four", List.of(found("a", "10.0.0.1")));
    assertThat(told.nodes.values()).containsExactly(node("a", "10.0.0.1"));
    nodes.put("four", List.of(uncounted("a", "10.0.0.1")));
    assertThat(told.nodes).isEmpty();
  }

  @Test
  void withoutGraceWhatIsInNoSliceLeavesAtOnce() {
    MergedNodes hasty = telling(Duration.ZERO, 1_000);
    hasty.put("s1", List.of(found("a", "10.0.0.1")));
    hasty.put("s1", List.of());
    assertThat(told.nodes).isEmpty();
    assertThat(hasty.size()).isZero();
  }

  @Test
  void thoseThatLeaveDoNotCountBesideThoseThatCome() {
    MergedNodes hasty = telling(Duration.ZERO, 3);
    hasty.put(
        "s1", List.of(found("a", "10.0.0.1"), found("b", "10.0.0.2"), found("c", "10.0.0.3")));
    hasty.put(
        "s1", List.of(found("x", "10.0.0.4"), found("y", "10.0.0.5"), found("z", "10.0.0.6")));
    assertThat(told.nodes).containsOnlyKeys("x", "y", "z");
    assertThat(told.most).isEqualTo(3);
  }

  @Test
  void whoComesTakesThePlaceOfTheOneThatWasToLeaveFirst() {
    MergedNodes few = telling(GRACE, 3);
    few.put("s1", List.of(found("a", "10.0.0.1"), found("b", "10.0.0.2"), found("c", "10.0.0.3")));
    few.put("s1", List.of(found("a", "10.0.0.1"), found("c", "10.0.0.3")));
    few.put("s1", List.of(found("c", "10.0.0.3")));
    few.put("s2", List.of(found("x", "10.0.0.4")));
    assertThat(told.nodes).containsOnlyKeys("a", "c", "x");
    few.put("s2", List.of(found("x", "10.0.0.4"), found("y", "10.0.0.5")));
    assertThat(told.nodes).containsOnlyKeys("c", "x", "y");
    few.put("s1", List.of());
    few.put("s2", List.of(found("x", "10.0.0.4"), found("y", "10.0.0.5"), found("c", "10.0.0.3")));
    assertThat(told.nodes).containsOnlyKeys("c", "x", "y");
    assertThat(told.most).isEqualTo(3);
    clock.advanceTimeBy(GRACE.multipliedBy(2));
    assertThat(told.leaves).isEqualTo(2);
  }

  @Test
  void ofTwoAddressesOfOnePodThatWhichCameLastIsTakenAndThatIsSaidOnce() {
    try (CapturedLog log = new CapturedLog()) {
      nodes.put("s2", List.of(found("a", "10.0.0.1")));
      nodes.put("s1", List.of(found("a", "10.0.0.2")));
      assertThat(told.nodes.values()).containsExactly(node("a", "10.0.0.2"));
      nodes.put("s2", List.of(found("a", "10.0.0.1"), found("b", "10.0.0.9")));
      assertThat(told.nodes.values())
          .as("what was said before is not said last")
          .containsExactly(node("a", "10.0.0.2"), node("b", "10.0.0.9"));
      nodes.put("s2", List.of(found("a", "10.0.0.3")));
      assertThat(told.nodes.get("a")).isEqualTo(node("a", "10.0.0.3"));
      assertThat(log.lines("list the pod a at different addresses")).hasSize(1);
    }
  }

  @Test
  void theFirstListIsToldWhenItIsWholeSoThatANodeBeginsWithItsBestAddress() {
    MergedNodes first = notTelling(GRACE, 1_000);
    first.put("six", List.of(new Found(node("a", "fd00::1"), AddressType.IPV6, true, false)));
    first.put("four", List.of(found("a", "10.0.0.1")));
    assertThat(told.nodes).isEmpty();
    first.beginToTell();
    assertThat(told.nodes.values()).containsExactly(node("a", "10.0.0.1"));
  }
}
