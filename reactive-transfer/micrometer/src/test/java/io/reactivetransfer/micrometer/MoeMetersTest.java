package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static io.reactivetransfer.micrometer.MeteredEngines.sum;
import static io.reactivetransfer.micrometer.MeteredEngines.tag;
import static io.reactivetransfer.micrometer.MeteredEngines.until;
import static io.reactivetransfer.micrometer.MeteredExperts.TOKENS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivetransfer.moe.MoeStep;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a registry says of groups of experts, beside the steps that they did. */
class MoeMetersTest {

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();

  private final MeterRegistry registry = new SimpleMeterRegistry();

  private MeteredExperts join() {
    return new MeteredExperts(engines, MoeMeters.of(registry).build());
  }

  private String[] ofRank(MeteredExperts experts, int rank) {
    return new String[] {
      "engine", tag(experts.engines.get(rank)), "backend", "loopback", "group", MeteredExperts.NAME
    };
  }

  /** Its own go with the group, and what is counted for each engine with the engine. */
  private void requireThatAllGo(MeteredExperts experts) {
    await()
        .atMost(PATIENCE)
        .until(() -> registry.find("reactive.transfer.moe.up").meters().isEmpty());
    await().atMost(PATIENCE).until(() -> registry.getMeters().size() == 2);
    experts.engines.forEach(MeteredEngines::close);
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  @Test
  void figuresAreWhatStepsCarried() {
    MeteredExperts experts =
        new MeteredExperts(engines, MoeMeters.of(registry).tags(Tags.of("role", "test")).build());
    experts.step(TOKENS);
    experts.step(TOKENS);
    String[] first = ofRank(experts, 0);
    String[] second = ofRank(experts, 1);
    until(2, registry, "moe.steps", first);
    until(2, registry, "moe.steps", second);
    for (String each : new String[] {"steps", "steps.dispatch", "steps.experts", "steps.combine"}) {
      assertThat(sum(registry, "moe." + each, "role", "test")).as(each).isEqualTo(4);
    }
    assertThat(sum(registry, "moe.steps", "outcome", "done")).isEqualTo(4);
    assertThat(sum(registry, "moe.steps.active", first)).isZero();
    assertThat(sum(registry, "moe.up", first)).isEqualTo(1);
    assertThat(sum(registry, "moe.tokens", first)).isEqualTo(2 * TOKENS);
    assertThat(sum(registry, "moe.tokens.received", first)).isZero();
    assertThat(sum(registry, "moe.tokens.received", second)).isEqualTo(2 * 2 * 2 * TOKENS);
    assertThat(sum(registry, "moe.tokens.overflow", first)).isEqualTo(2 * (2 * TOKENS - 1));
    assertThat(sum(registry, "moe.tokens.overflow", second)).isZero();
    experts.close();
    requireThatAllGo(experts);
  }

  @Test
  void aRefusedStepIsOne() {
    MeteredExperts experts = join();
    experts.refusedStep();
    until(2, registry, "moe.steps", "outcome", "refused");
    experts.step(TOKENS);
    until(2, registry, "moe.steps", "outcome", "done");
    assertThat(sum(registry, "moe.tokens")).isEqualTo(2 * TOKENS);
    assertThat(sum(registry, "moe.up")).isEqualTo(2);
    experts.close();
  }

  @Test
  void aGroupThatFailsIsDownUntilItIsClosed() {
    MeteredExperts experts = join();
    until(2, registry, "moe.up");
    MoeStep step = experts.begin(0, 0);
    step.dispatchSend(MemorySegment.ofArray(new byte[0])).subscribe(null, failure -> {});
    until(1, registry, "moe.steps.active", ofRank(experts, 0));
    step.giveUp("a test wants it");
    until(0, registry, "moe.up");
    until(1, registry, "moe.steps", "outcome", "failed");
    assertThat(sum(registry, "moe.steps.active")).isZero();
    until(1, registry, "moe.groups.failed", "engine", tag(experts.engines.get(0)));
    until(1, registry, "moe.groups.failed", "engine", tag(experts.engines.get(1)));
    experts.close();
    await()
        .atMost(PATIENCE)
        .until(() -> registry.find("reactive.transfer.moe.up").meters().isEmpty());
    assertThat(sum(registry, "moe.groups.failed")).isEqualTo(2);
    requireThatAllGo(experts);
  }

  @Test
  void theNextEpochHasMetersOfItsOwn() {
    MeteredExperts experts = join();
    experts.step(TOKENS);
    until(2, registry, "moe.steps");
    experts.regroup();
    until(0, registry, "moe.steps");
    until(2, registry, "moe.up");
    experts.step(TOKENS);
    until(2, registry, "moe.steps");
    experts.close();
    requireThatAllGo(experts);
  }

  @Test
  void groupsThatNobodyClosesGoWithTheirEngines() {
    MeteredExperts experts = join();
    until(2, registry, "moe.up");
    experts.engines.forEach(MeteredEngines::close);
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  private List<String> groups(int rank, MeteredExperts experts) {
    return registry
        .find("reactive.transfer.moe.up")
        .tag("engine", tag(experts.engines.get(rank)))
        .gauges()
        .stream()
        .map(each -> each.getId().getTag("group"))
        .sorted()
        .toList();
  }

  @Test
  void manyGroupsMakeNoMoreMetersThanTheLimit() {
    MeteredExperts experts =
        new MeteredExperts(engines, MoeMeters.of(registry).maxGroups(2).build());
    for (String each : new String[] {"more", "third", "fourth"}) {
      experts.joinAnother(each);
      experts.step(TOKENS);
    }
    until(2, registry, "moe.steps", "group", "more");
    until(2 * 2, registry, "moe.steps", "group", "other");
    assertThat(groups(0, experts)).containsExactly(MeteredExperts.NAME, "more", "other");
    assertThat(groups(1, experts)).containsExactly(MeteredExperts.NAME, "more", "other");
    assertThat(registry.getMeters()).hasSize(2 * (3 * 11 + 1));
    MoeStep step = experts.begin(0, 0);
    step.dispatchSend(MemorySegment.ofArray(new byte[0])).subscribe(null, failure -> {});
    step.giveUp("a test wants it");
    until(0, registry, "moe.up", "group", "other");
    experts.close();
    until(2, registry, "moe.up", "group", "other");
    assertThat(sum(registry, "moe.steps", "group", "other", "outcome", "done")).isEqualTo(4);
    experts.joinAnother("more than a name is left for");
    experts.step(TOKENS);
    until(3 * 2, registry, "moe.steps", "group", "other", "outcome", "done");
    experts.engines.forEach(MeteredEngines::close);
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  @Test
  void whatARegistryThrowsBreaksNoStep() {
    registry
        .config()
        .meterFilter(
            new MeterFilter() {
              @Override
              public MeterFilterReply accept(Meter.Id id) {
                throw new AssertionError("thrown by a test");
              }
            });
    MeteredExperts experts = join();
    experts.step(TOKENS);
    experts.close();
    assertThat(registry.getMeters()).isEmpty();
  }
}
