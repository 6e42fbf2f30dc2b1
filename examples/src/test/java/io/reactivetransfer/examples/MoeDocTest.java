package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.examples.first.FirstExperts;
import io.reactivetransfer.membership.FixedMembership;
import io.reactivetransfer.membership.Membership;
import io.reactivetransfer.membership.Node;
import io.reactivetransfer.membership.NodeRanks;
import io.reactivetransfer.moe.ExpertPlacement;
import io.reactivetransfer.moe.MoeGroup;
import io.reactivetransfer.moe.MoeMemory;
import io.reactivetransfer.moe.MoeNode;
import io.reactivetransfer.moe.MoeOptions;
import io.reactivetransfer.moe.MoeShape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** What docs/moe.md shows runs, and prints what it says. */
class MoeDocTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DOC = ROOT.resolve("docs/moe.md");

  private static String block(String start) throws IOException {
    Matcher block =
        Pattern.compile("```" + start + "(.*?)```", Pattern.DOTALL).matcher(Files.readString(DOC));
    assertThat(block.find()).isTrue();
    return block.group(1);
  }

  @Test
  void ranksThatAMembershipListsJoin() {
    TransferEngine left = TransferEngineBuilder.create().backend("loopback").open().block();
    TransferEngine right = TransferEngineBuilder.create().backend("loopback").open().block();
    Membership membership =
        FixedMembership.of(
            Node.of("b", "experts", right.address().control()).withLabel("rank", "1"),
            Node.of("a", "experts", left.address().control()).withLabel("rank", "0"));
    try (Arena arena = Arena.ofShared()) {
      var groups =
          Mono.zip(join(left, membership, 0, arena), join(right, membership, 1, arena)).block();
      assertThat(groups.getT1().rank()).isZero();
      assertThat(groups.getT2().rank()).isEqualTo(1);
      Mono.when(groups.getT1().close(), groups.getT2().close()).block();
      Mono.when(left.close(), right.close()).block();
    }
  }

  /** Its lines are those of the page. */
  private static Mono<MoeGroup> join(
      TransferEngine engine, Membership membership, int rank, Arena arena) {
    MoeShape shape = MoeShape.builder(ExpertPlacement.even(2, 4), 2, 8, 16, 4).build();
    MemorySegment memory = arena.allocate(shape.memory(rank).bytes(), MoeMemory.ALIGNMENT);
    MoeNode node = MoeNode.open(engine);
    Mono<MoeGroup> group =
        NodeRanks.addresses(engine, membership, "experts", 2, Duration.ofMinutes(5))
            .flatMap(ranks -> node.join("layers/1", shape, ranks, memory, MoeOptions.defaults()));
    return group;
  }

  @Test
  void itsProgramRunsAndPrintsWhatIsShown() throws Exception {
    assertThat(ExampleRun.here(FirstExperts.class).stdout().lines())
        .containsExactlyInAnyOrderElementsOf(block("\\n(?=The sum)").lines().toList());
  }
}
