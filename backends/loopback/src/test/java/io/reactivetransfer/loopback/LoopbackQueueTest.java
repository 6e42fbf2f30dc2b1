package io.reactivetransfer.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.spi.RemoteMemory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Bounded queues: what refuses, what rings, and in which order things are served. */
class LoopbackQueueTest {

  private final LoopbackNetwork network = new LoopbackNetwork();
  private final LoopbackBackend backend = LoopbackBackend.builder().network(network).build();

  private TestNic shallow(int engine, int depth) {
    return TestNic.open(
        LoopbackBackend.builder().network(network).queueDepth(depth).build(), engine);
  }

  @Test
  void anOriginThatHasAllItsWritesOutRefuses() {
    TestNic origin = shallow(1, 2);
    TestNic target = TestNic.open(backend, 2);
    RemoteMemory memory = origin.target(target);
    assertThat(origin.domain.capabilities().queueDepth()).isEqualTo(2);
    assertThat(origin.domain.post(origin.write(memory, 0, 1, 1)).isTaken()).isTrue();
    assertThat(origin.domain.post(origin.write(memory, 0, 1, 2)).isTaken()).isTrue();
    assertThat(origin.domain.post(origin.write(memory, 0, 1, 3)).isTaken()).isFalse();

    target.poll();
    assertThat(origin.rings).hasPositiveValue();
    assertThat(origin.domain.post(origin.write(memory, 0, 1, 3)).isTaken())
        .as("not before the origin has seen the completions")
        .isFalse();
    assertThat(origin.events()).containsExactly("written 1", "written 2");
    assertThat(origin.domain.post(origin.write(memory, 0, 1, 3)).isTaken()).isTrue();
  }

  @Test
  void aFullInboxRefusesAndRingsEveryOneItRefused() {
    TestNic target = shallow(1, 2);
    List<TestNic> origins =
        IntStream.range(2, 6).mapToObj(engine -> TestNic.open(backend, engine)).toList();
    List<TestNic> refused = new ArrayList<>();
    for (TestNic origin : origins) {
      if (!origin.domain.post(origin.write(origin.target(target), 0, 1, 1)).isTaken()) {
        refused.add(origin);
        assertThat(origin.domain.post(origin.write(origin.target(target), 0, 1, 1)).isTaken())
            .isFalse();
      }
    }
    assertThat(refused).hasSize(2);
    assertThat(refused).allSatisfy(origin -> assertThat(origin.rings).hasValue(0));

    target.poll();

    assertThat(refused).allSatisfy(origin -> assertThat(origin.rings).hasValue(1));
    for (TestNic origin : refused) {
      assertThat(origin.domain.post(origin.write(origin.target(target), 0, 1, 1)).isTaken())
          .isTrue();
    }
    target.poll();
    assertThat(origins)
        .allSatisfy(origin -> assertThat(origin.events()).containsExactly("written 1"));
  }

  @Test
  void eightNicsOfOneEngineAreEightQueues() {
    LoopbackBackend eight =
        LoopbackBackend.builder().network(network).defaultNics(8).queueDepth(1).build();
    assertThat(eight.nics()).hasSize(8).extracting("name").contains("loopback0", "loopback7");
    List<TestNic> origins = new ArrayList<>();
    List<TestNic> targets = new ArrayList<>();
    for (int nic = 0; nic < 8; nic++) {
      origins.add(TestNic.open(eight, 1, nic));
      targets.add(TestNic.open(eight, 2, nic));
    }
    for (int nic = 0; nic < 8; nic++) {
      TestNic origin = origins.get(nic);
      RemoteMemory memory = origin.target(targets.get(nic));
      assertThat(origin.domain.post(origin.write(memory, nic, 1, nic).withImm(nic)).isTaken())
          .isTrue();
      assertThat(origin.domain.post(origin.write(memory, nic, 1, nic)).isTaken()).isFalse();
    }
    for (int nic = 7; nic >= 0; nic--) {
      assertThat(targets.get(nic).events()).containsExactly("imm " + nic);
      assertThat(origins.get(nic).events()).containsExactly("written " + nic);
    }
  }

  @Test
  void aSeedReordersTheSameWayEachTime() {
    List<String> first = servedWith(LoopbackBackend.builder().reorder(42));
    assertThat(servedWith(LoopbackBackend.builder().reorder(42))).isEqualTo(first);
    assertThat(servedWith(LoopbackBackend.builder().reorder(43))).isNotEqualTo(first);
    List<String> inOrder = LongStream.range(0, 200).mapToObj(i -> "imm " + i).toList();
    assertThat(first).isNotEqualTo(inOrder).containsExactlyInAnyOrderElementsOf(inOrder);
    assertThat(servedWith(LoopbackBackend.builder())).isEqualTo(inOrder);
  }

  private static List<String> servedWith(LoopbackBackend.Builder builder) {
    LoopbackBackend backend = builder.network(new LoopbackNetwork()).build();
    TestNic origin = TestNic.open(backend, 1);
    TestNic target = TestNic.open(backend, 2);
    RemoteMemory memory = origin.target(target);
    for (int i = 0; i < 200; i++) {
      assertThat(origin.domain.post(origin.write(memory, i, 1, i).withImm(i)).isTaken()).isTrue();
    }
    while (target.poll() > 0) {}
    while (origin.poll() > 0) {}
    assertThat(origin.sink.take()).hasSize(200);
    return target.sink.take();
  }
}
