package io.reactivetransfer.weights.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RandomModel;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.version.UpdateNumber;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** What a rank knows of sums, however it is told of them. */
class SumsOfUpdateTest {

  private static final UpdateNumber UPDATE = new UpdateNumber(1, 2, 3);
  private static final EngineId ONE = new EngineId(1, 1);
  private static final EngineId OTHER = new EngineId(2, 2);

  private static SumMessage message(String trainer, long arrivals, int total, int first, int sums) {
    List<SumMessage.Sum> all = new ArrayList<>();
    for (int i = 0; i < sums; i++) {
      all.add(new SumMessage.Sum(0, first + i, 1, 1, 1, 0));
    }
    return new SumMessage(
        UPDATE, trainer, arrivals, total, first, List.of(new SumMessage.OfTensor("w", all)));
  }

  @Test
  void isCompleteWhenAllWritesAndAllSumsAreThere() {
    SumsOfUpdate sums = new SumsOfUpdate();
    assertThat(sums.isComplete(10)).isFalse();
    sums.add(ONE, message("a", 7, 3, 0, 3));
    assertThat(sums.isComplete(7)).isTrue();
    assertThat(sums.isComplete(10)).isFalse();
    assertThat(sums.missing(10))
        .isEqualTo("expected sums of all 10 writes, got those of 7 by trainer a");
    sums.add(OTHER, message("b", 3, 2, 0, 1));
    assertThat(sums.isComplete(10)).isFalse();
    assertThat(sums.missing(10)).endsWith("of them 1 of 2 sums of trainer b");
    sums.add(OTHER, message("b", 3, 2, 1, 1));
    assertThat(sums.isComplete(10)).isTrue();
    assertThat(sums.wrong(10)).isNull();
    assertThat(sums.sums()).hasSize(5);
  }

  @Test
  void whatComesTwiceCountsOnce() {
    SumsOfUpdate sums = new SumsOfUpdate();
    sums.add(ONE, message("a", 7, 3, 0, 2));
    sums.add(ONE, message("a", 7, 3, 0, 2));
    assertThat(sums.isComplete(7)).isFalse();
    sums.add(ONE, message("a", 7, 3, 2, 1));
    assertThat(sums.isComplete(7)).isTrue();
    assertThat(sums.sums()).hasSize(3);
  }

  @Test
  void whatCannotBeIsNamed() {
    SumsOfUpdate more = new SumsOfUpdate();
    more.add(ONE, message("a", 7, 1, 0, 1));
    more.add(OTHER, message("b", Long.MAX_VALUE, 1, 0, 1));
    assertThat(more.isComplete(10)).isFalse();
    assertThat(more.wrong(10))
        .isEqualTo(
            "expected sums of 10 writes, got those of "
                + Long.MAX_VALUE
                + " by trainer a, trainer b");
    SumsOfUpdate different = new SumsOfUpdate();
    different.add(ONE, message("a", 7, 2, 0, 1));
    different.add(ONE, message("b", 8, 2, 1, 1)); // another one on the same engine
    assertThat(different.wrong(20)).isNull();
    different.add(ONE, message("a", 8, 2, 1, 1));
    assertThat(different.wrong(10)).isEqualTo("trainer a has said different things of it");
  }

  @Test
  void whatATrainerSaysInShortMessagesInAnyOrderIsAllOfIt() {
    Random random = new Random(3);
    for (long seed = 0; seed < 60; seed++) {
      RandomModel model = new RandomModel(seed);
      RoutingTable table =
          Planner.create().stepBytes(64).wholeBytes(64).plan(model.sources, model.targets);
      SumPlan plan = SumPlan.of(table, 0, ChecksumScope.all(), seed);
      Map<Integer, List<SumMessage>> said = new HashMap<>();
      SumMaker maker = new SumMaker(UPDATE, "a", plan, 512 + 400, said::put);
      try (Arena arena = Arena.ofShared()) {
        MemorySegment memory = arena.allocate(1 << 20);
        for (Step step : table.steps(0)) {
          if (!(step instanceof Step.Gather)) {
            maker.read(step, run -> SourceMemory.loaded(memory));
          }
        }
      }
      for (int target = 0; target < plan.arrivals.length; target++) {
        assertThat(said.containsKey(target)).isEqualTo(plan.arrivals[target] > 0);
        List<SumMessage> messages = new ArrayList<>(said.getOrDefault(target, List.of()));
        Collections.shuffle(messages, random);
        SumsOfUpdate sums = new SumsOfUpdate();
        for (SumMessage message : messages) {
          byte[] bytes = SumCodecTest.bytes(message);
          assertThat(bytes.length).isLessThanOrEqualTo(512 + 400);
          sums.add(ONE, SumCodecTest.decode(bytes));
        }
        assertThat(sums.isComplete(plan.arrivals[target])).isTrue();
        assertThat(
                sums.sums().stream().mapToLong(of -> of.sum().rowBytes() * of.sum().rows()).sum())
            .isEqualTo(plan.bytes[target]);
      }
    }
  }

  /** One sum for each name, the longest that there may be, and all of it in the last places. */
  @Test
  void memoryIsCountedWithTheNamesAndTheBitsOfWhatCame() {
    SumsOfUpdate sums = new SumsOfUpdate();
    int total = SumCodec.MAX_SUMS;
    for (int i = 1; i <= 100; i++) {
      SumMessage.Sum one = new SumMessage.Sum(0, i, 1, 1, 1, 0);
      String name = "n".repeat(252) + (100 + i);
      SumMessage.OfTensor tensor = new SumMessage.OfTensor(name, List.of(one));
      SumMessage message = new SumMessage(UPDATE, "a", 7, total, total - i, List.of(tensor));
      sums.add(ONE, message);
      sums.add(ONE, message);
    }
    assertThat(sums.size()).isEqualTo(100);
    assertThat(sums.bytes()).isBetween(100L * 255 + total / 8, 100L * 1024 + total / 8);
  }

  /** Many trainers write parts of the same tensors. */
  @Test
  void aNameTakesMemoryOnce() {
    SumsOfUpdate sums = new SumsOfUpdate();
    sums.add(ONE, message("a", 1, 1, 0, 1));
    long before = sums.bytes();
    sums.add(ONE, message("b", 1, 1, 0, 1));
    long again = sums.bytes() - before;
    assertThat(again).isPositive().isLessThan(before);
  }

  @Test
  void asManySumsAsATrainerMaySayHaveRoom() {
    SumsOfUpdate sums = new SumsOfUpdate();
    int each = 1 << 10;
    for (int first = 0; first < SumCodec.MAX_SUMS; first += each) {
      sums.add(ONE, message("a", 7, SumCodec.MAX_SUMS, first, each));
    }
    assertThat(sums.size()).isEqualTo(SumCodec.MAX_SUMS);
    assertThat(sums.bytes()).isLessThanOrEqualTo(Checksums.MAX_BYTES);
  }
}
