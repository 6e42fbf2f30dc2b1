package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** What one rank says is one line at all others, and said once. */
class TextsTest {

  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 24, 4).build();

  private static String failure(Mono<?> failing) {
    return failing
        .thenReturn("done")
        .onErrorResume(GroupFailedException.class, e -> Mono.just(String.valueOf(e.getMessage())))
        .blockOptional(Cluster.PATIENCE)
        .orElseThrow();
  }

  @Test
  void aReasonIsOneLineOnAllRanks() {
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = new Rig(cluster, SHAPE, Rig.OPTIONS)) {
      Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(4), SHAPE);
      Mono<String> other = Mono.fromSupplier(() -> failure(rig.step(1, 0, tokens)));
      rig.begin(0, 0, tokens)
          .giveUp("first\nsecond\r\0third\u2028fourth\u0085\ud800, \u00e4\u20ac");
      String said =
          "has given a step up on lane 0:"
              + " first\\nsecond\\r\\u0000third\\u2028fourth\\u0085\\ud800, \u00e4\u20ac";
      assertThat(Cluster.await(other)).endsWith(said);
      assertThat(failure(rig.step(0, 0, tokens))).endsWith(said);
    }
  }

  @Test
  void whatAnotherRankSendsIsOneLine() {
    // The other one does not know that it has said so, and waits for nobody.
    MoeOptions soon = MoeOptions.builder().closeTimeout(Duration.ofMillis(1)).build();
    try (Cluster cluster = Cluster.loopback(2);
        Rig rig = new Rig(cluster, SHAPE, soon)) {
      MoeMessage said =
          new MoeMessage.GiveUp(
              new GroupEpoch("experts", 0), 1, MoeMessage.NOT_HEARD, "a line\nERROR another");
      cluster
          .engines
          .get(1)
          .send(
              cluster.engines.get(1).peer(cluster.addresses().get(0)),
              Mail.CHANNEL,
              MoeCodec.encode(said))
          .block(Cluster.PATIENCE);
      assertThat(failure(rig.step(0, 0, new Rig.Tokens(new RandomSteps(4), SHAPE))))
          .endsWith("a line\\nERROR another");
    }
  }

  @Test
  void aNameIsOneLineInWhatIsSaidOfIt() {
    assertThat(new GroupEpoch("a\nb", 0)).hasToString("a\\nb");
    assertThat(new GroupEpoch("a\tb", 2)).hasToString("a\\tb in epoch 2");
  }

  @Test
  void aNameThatCannotBeSentIsRefused() {
    try (Cluster cluster = Cluster.loopback(2);
        Arena arena = Arena.ofShared()) {
      MemorySegment memory = arena.allocate(SHAPE.memory(0).bytes(), MoeMemory.ALIGNMENT);
      assertThatThrownBy(
              () -> Rig.join(cluster, "half \ud83d", SHAPE, 0, memory, MoeOptions.defaults()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "expected a name that is valid UTF-16, got half \\ud83d, in which a surrogate has no"
                  + " other half");
    }
  }

  @Test
  void whoComesLaterIsToldTheReasonOnceWhoeverHasToldIt() {
    try (Cluster cluster = Cluster.loopback(3);
        Arena arena = Arena.ofShared()) {
      MoeShape shape = MoeShape.builder(ExpertPlacement.even(3, 6), 2, 8, 24, 4).build();
      MemorySegment[] memory = new MemorySegment[3];
      for (int rank = 0; rank < 3; rank++) {
        memory[rank] = arena.allocate(shape.memory(rank).bytes(), MoeMemory.ALIGNMENT);
      }
      MoeOptions soon = MoeOptions.builder().joinDeadline(Duration.ofMillis(200)).build();
      for (int rank = 0; rank < 2; rank++) {
        String failure =
            failure(
                cluster
                    .nodes
                    .get(rank)
                    .join("g", 3, shape, cluster.addresses(), memory[rank], soon));
        assertThat(failure).startsWith("group g in epoch 3 is over: rank ");
        assertThat(failure.indexOf(" is over: ")).isEqualTo(failure.lastIndexOf(" is over: "));
        assertThat(failure.indexOf("(says rank")).isEqualTo(failure.lastIndexOf("(says rank"));
      }
      // It hears of the second one, who has heard of the first one.
      cluster.nodes.get(0).close().block(Cluster.PATIENCE);
      String third =
          failure(cluster.nodes.get(2).join("g", 3, shape, cluster.addresses(), memory[2], soon));
      assertThat(third)
          .startsWith("group g in epoch 3 is over: rank 1 ")
          .contains("has not joined within PT0.2S");
      assertThat(third.indexOf(" is over: ")).isEqualTo(third.lastIndexOf(" is over: "));
      assertThat(third.indexOf("(says rank")).isEqualTo(third.lastIndexOf("(says rank"));
    }
  }
}
