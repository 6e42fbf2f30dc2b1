package io.reactivetransfer.loopback;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a NIC hears when another one closes, or was never there. */
class LoopbackCloseTest {

  private final LoopbackNetwork network = new LoopbackNetwork();
  private final LoopbackBackend backend = LoopbackBackend.builder().network(network).build();
  private final TestNic origin = TestNic.open(backend, 1);
  private final TestNic target = TestNic.open(backend, 2);

  @Test
  void aClosedTargetIsLostOnceAndThenItsWritesFail() {
    RemoteMemory memory = origin.target(target);
    origin.domain.post(origin.write(memory, 0, 1, 1));
    target.poll();
    origin.domain.post(origin.write(memory, 0, 1, 2));
    target.domain.close();
    assertThat(origin.domain.post(origin.write(memory, 0, 1, 3)).isTaken())
        .as("accepted as long as the loss is not known")
        .isTrue();

    List<String> events = origin.events();
    assertThat(events).hasSize(4);
    assertThat(events.get(0)).isEqualTo("written 1");
    assertThat(events.get(1)).startsWith("lost 2 ").endsWith("was closed");
    assertThat(events.subList(2, 4)).allMatch(event -> event.startsWith("failed "));
    assertThat(origin.poll()).isZero();
    assertThat(target.poll()).isZero();
  }

  @Test
  void aLaterTryIsAnotherLoss() {
    RemoteMemory memory = origin.target(target);
    target.domain.close();
    for (int i = 0; i < 3; i++) {
      int ringsBefore = origin.rings.get();
      assertThat(origin.domain.post(origin.write(memory, 0, 1, i)).isTaken()).isTrue();
      assertThat(origin.domain.post(origin.write(memory, 0, 1, i)).isTaken()).isTrue();
      assertThat(origin.rings.get()).isGreaterThan(ringsBefore);
      List<String> events = origin.events();
      assertThat(events).hasSize(3);
      assertThat(events.get(0)).startsWith("lost 2 nobody is at loopback:");
      assertThat(events.get(1)).startsWith("failed " + i + " 6 nobody");
    }
  }

  @Test
  void aLostPeerThatIsBackIsReachedAgain() {
    RemotePeer peer = origin.peer(target);
    RemoteMemory before = origin.domain.resolve(peer, target.memory.key(), TestNic.MEMORY_BYTES);
    origin.domain.post(origin.write(before, 0, 1, 1));
    target.domain.close();
    assertThat(origin.events()).hasSize(2);
    TestNic again = TestNic.open(backend, 2);
    RemoteMemory after = origin.domain.resolve(peer, again.memory.key(), TestNic.MEMORY_BYTES);
    origin.domain.post(origin.write(after, 0, 1, 2).withImm(7));
    assertThat(again.events()).containsExactly("imm 7");
  }

  @Test
  void allWritesFailOnceAndTheirPlacesAreFreeAgain() {
    RemoteMemory memory = origin.target(target);
    int posted = 0;
    while (origin.domain.post(origin.write(memory, 0, 1, posted)).isTaken()) {
      posted++;
    }
    assertThat(posted).isEqualTo(256);
    target.domain.close();
    List<String> events = origin.events();
    assertThat(events).hasSize(1 + posted);
    assertThat(events).doesNotHaveDuplicates();
    TestNic third = TestNic.open(backend, 3);
    RemoteMemory there = origin.target(third);
    for (int i = 0; i < 256; i++) {
      assertThat(origin.domain.post(origin.write(there, 0, 1, i)).isTaken()).isTrue();
    }
  }

  @Test
  void aTargetHearsThatAnOriginClosedAfterWhatItWrote() {
    RemoteMemory memory = origin.target(target);
    for (int i = 0; i < 50; i++) {
      origin.domain.post(origin.write(memory, 0, 1, i).withImm(i));
    }
    target.poll();
    origin.domain.close();
    List<String> events = target.events();
    assertThat(events).hasSize(51);
    assertThat(events.getLast()).startsWith("lost 1 ");
    assertThat(target.poll()).isZero();
  }

  @Test
  void whoeverBothWroteAndWasWrittenToHearsItOnce() {
    origin.domain.post(origin.write(origin.target(target), 0, 1, 1));
    target.domain.post(target.write(target.target(origin), 0, 1, 1));
    origin.poll();
    target.events();
    origin.domain.close();
    assertThat(target.events()).singleElement().asString().startsWith("lost 1 ");
  }

  @Test
  void whatAClosedOriginHadUnderWayChangesNothing() {
    TestNic slow =
        TestNic.open(LoopbackBackend.builder().network(network).maxCopyBytesPerPoll(10).build(), 3);
    origin.fill(5);
    origin.domain.post(origin.write(origin.target(slow), 0, 20, 1).withImm(1));
    slow.poll();
    origin.domain.close();
    assertThat(slow.events()).singleElement().asString().startsWith("lost 1 ");
    assertThat(slow.at(9)).isEqualTo((byte) 5);
    assertThat(slow.at(10)).isZero();
    while (slow.poll() > 0) {}
    assertThat(slow.sink.take()).isEmpty();
    assertThat(origin.events()).isEmpty();
  }

  @Test
  void anotherEngineAtTheAddressIsNotWrittenTo() {
    TestNic third = TestNic.open(backend, 3);
    RemotePeer mistaken = origin.domain.resolve(third.id, 0, target.domain.address());
    RemoteMemory memory = origin.domain.resolve(mistaken, target.memory.key(), 10);
    assertThat(origin.domain.post(origin.write(memory, 0, 1, 4).withImm(1)).isTaken()).isTrue();
    List<String> events = origin.events();
    assertThat(events.get(0)).startsWith("lost 3 another engine");
    assertThat(events.get(1)).startsWith("failed 4 6 another engine");
    assertThat(target.poll()).isZero();
  }

  @Test
  void networksAreApart() {
    TestNic far = TestNic.open(LoopbackBackend.builder().network(new LoopbackNetwork()).build(), 4);
    assertThat(origin.domain.post(origin.write(origin.target(far), 0, 1, 1)).isTaken()).isTrue();
    assertThat(origin.events()).first().asString().startsWith("lost 4 nobody");
    assertThat(far.poll()).isZero();
  }

  @Test
  void aRefusedOriginIsRungWhenTheTargetCloses() {
    TestNic full =
        TestNic.open(LoopbackBackend.builder().network(network).queueDepth(2).build(), 3);
    RemoteMemory memory = origin.target(full);
    Operation op = origin.write(memory, 0, 1, 1);
    while (origin.domain.post(op).isTaken()) {}
    int ringsBefore = origin.rings.get();
    full.domain.close();
    assertThat(origin.rings.get()).isGreaterThan(ringsBefore);
    assertThat(origin.events()).hasSize(3);
  }
}
