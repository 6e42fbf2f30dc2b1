package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class ShapeTest {

  private static MoeShape.Builder decode(int ranks) {
    return MoeShape.builder(ExpertPlacement.even(ranks, 256), 8, 128, 7_168 + 224, 7_168);
  }

  private static void refused(ThrowingCallable call, String message) {
    assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessage(message);
  }

  @Test
  void theWorstCaseIsAllTokensOfAllGroupsAtOneRank() {
    MoeMemory memory = decode(64).privateTokens(32).build().memory(5);
    // Four experts, so each token comes four times at most.
    assertThat(memory.received()).isEqualTo(64 * 128 * 4);
    assertThat(memory.privateSlots()).isEqualTo(32);
    assertThat(memory.overflowSlots()).isEqualTo(63 * (128 * 4 - 32));
    assertThat(memory.length(MoeMemory.Section.PRIVATE)).isEqualTo(63L * 32 * 7_392);
    assertThat(memory.length(MoeMemory.Section.RETURNED)).isEqualTo(128L * 8 * 14_336);
  }

  @Test
  void aSmallerBoundNeedsLess() {
    MoeShape shape = decode(64).privateTokens(32).build();
    MoeMemory worst = MoeMemory.of(shape, 0, Integer.MAX_VALUE);
    MoeMemory bounded = MoeMemory.of(shape, 0, 4_096);
    assertThat(bounded.received()).isEqualTo(4_096);
    assertThat(bounded.overflowSlots()).isEqualTo(4_096 - 32);
    assertThat(bounded.bytes()).isLessThan(worst.bytes() / 5);
    assertThat(decode(64).privateTokens(32).maxReceived(4_096).build().memory(0).bytes())
        .isEqualTo(bounded.bytes());
  }

  /** Whoever writes another implementation has this from docs/moe.md. */
  @Test
  void textAndDigestAreWhatTheDocumentsSay() {
    MoeShape shape = decode(4).privateTokens(320).maxReceived(2_048).build();
    String text =
        "256 experts on 4 ranks, each rank a group, top 8, 128 tokens of 7392 bytes, results of"
            + " 7168 BF16, sums of BF16, 320 private slots, at most 2048 received, aligned to 1, 1"
            + " lane";
    assertThat(shape).hasToString(text);
    LongStream.Builder numbers = LongStream.builder().add(4);
    for (int expert = 0; expert < 256; expert++) {
      numbers.add(expert / 64).add(expert);
    }
    LongStream.range(0, 4).forEach(numbers);
    text.chars().forEach(numbers::add);
    long digest = 1;
    for (long number : numbers.build().toArray()) {
      long mixed = (digest ^ number) * 0x9e3779b97f4a7c15L;
      digest = mixed ^ (mixed >>> 29);
    }
    assertThat(shape.digest()).isEqualTo(digest);
  }

  @Test
  void sectionsFollowEachOtherAlignedInEachLane() {
    MoeShape shape = decode(3).expertAlignment(128).lanes(2).build();
    MoeMemory memory = shape.memory(1);
    long end = 0;
    for (int lane = 0; lane < 2; lane++) {
      for (MoeMemory.Section section : MoeMemory.Section.values()) {
        assertThat(memory.offset(lane, section))
            .isGreaterThanOrEqualTo(end)
            .isLessThan(end + MoeMemory.ALIGNMENT)
            .isEqualTo(memory.offset(lane, section) / 256 * 256);
        end = memory.offset(lane, section) + memory.length(section);
      }
    }
    assertThat(memory.bytes())
        .isBetween(end, end + MoeMemory.ALIGNMENT)
        .isEqualTo(2 * memory.laneBytes());
    assertThat(memory).hasToString(memory.toString()).asString().contains("OVERFLOW ", "2 lanes");
  }

  @Test
  void alignmentNeedsRoomForEachExpertButNotForMoreThanTokensCanFill() {
    ExpertPlacement placement = ExpertPlacement.even(1, 3);
    MoeShape shape = MoeShape.builder(placement, 1, 2, 1, 1).expertAlignment(4).build();
    // Two tokens lie at two experts at most, whose rows end at a multiple of four.
    assertThat(shape.memory(0).tokenRows()).isEqualTo(8);
    MoeShape wide = MoeShape.builder(placement, 1, 9, 1, 1).expertAlignment(4).build();
    assertThat(wide.memory(0).tokenRows()).isEqualTo(16);
  }

  @Test
  void expertsInPlaceNeedNoMemoryForTokensAndResultsByExpert() {
    MoeShape shape = decode(4).inPlace(true).build();
    MoeMemory usual = decode(4).build().memory(0);
    MoeMemory memory = shape.memory(0);
    assertThat(memory.tokenRows()).isZero();
    assertThat(memory.expertBytes()).isZero();
    assertThat(memory.received()).isEqualTo(usual.received());
    assertThat(memory.bytes())
        .isEqualTo(
            usual.bytes()
                - usual.length(MoeMemory.Section.TOKENS)
                - usual.length(MoeMemory.Section.RESULTS));
    assertThat(shape).asString().endsWith(", aligned to 1, in place, 1 lane");
    assertThat(shape).isNotEqualTo(decode(4).build());
    assertThat(shape.digest()).isNotEqualTo(decode(4).build().digest());
  }

  @Test
  void nothingIsAlignedInPlace() {
    refused(
        () -> decode(4).inPlace(true).expertAlignment(4).build(),
        "expected an expertAlignment of 1 for experts that compute in place, whose tokens do not"
            + " lie one behind the other, got 4");
  }

  @Test
  void aRankWithoutExpertsHasNoPlacesForTokens() {
    ExpertPlacement placement = ExpertPlacement.of(2, new int[][] {{0}, {0}});
    MoeMemory memory = MoeShape.builder(placement, 2, 4, 8, 4).build().memory(1);
    assertThat(memory.tokenRows()).isZero();
    assertThat(memory.privateSlots()).isZero();
    assertThat(memory.length(MoeMemory.Section.RETURNED)).isEqualTo(4 * 2 * 16);
  }

  @Test
  void moreThan512RanksAndExpertsAreAllowed() {
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(600, 2_400), 8, 1, 16, 8).maxReceived(64).build();
    assertThat(shape.memory(599).received()).isEqualTo(64);
  }

  @Test
  void theUsualPrivateSlotsAreAFifthMoreThanEvenlySpreadTokensNeed() {
    // 128 x 8 pairs over 256 experts are 4 for each; 5 with a fifth more; four experts on a rank.
    assertThat(decode(64).build().privateTokens()).isEqualTo(20);
  }

  @Test
  void evenPlacementSpreadsExpertsThatRanksDoNotDivide() {
    ExpertPlacement placement = ExpertPlacement.even(3, 7);
    List<Integer> counts = new ArrayList<>();
    for (int rank = 0; rank < 3; rank++) {
      counts.add(placement.expertsOn(rank));
    }
    assertThat(counts).containsExactly(3, 2, 2);
    assertThat(placement.expertOf(placement.firstInstance(1))).isEqualTo(3);
  }

  @Test
  void replicasAreInstancesByRank() {
    ExpertPlacement placement = ExpertPlacement.of(3, new int[][] {{2, 0}, {1}, {0}});
    assertThat(placement.instances()).isEqualTo(4);
    assertThat(placement.replicas(0)).isEqualTo(2);
    assertThat(placement.rankOf(placement.instance(0, 0))).isZero();
    assertThat(placement.rankOf(placement.instance(0, 1))).isEqualTo(2);
    assertThat(placement).hasToString("3 experts on 3 ranks, in 4 instances");
    assertThat(placement)
        .isEqualTo(ExpertPlacement.of(3, new int[][] {{0, 2}, {1}, {0}}))
        .isNotEqualTo(ExpertPlacement.of(3, new int[][] {{0, 2}, {0}, {1}}));
  }

  @Test
  void oneMemberOfAGroupSendsToEachRank() {
    RankGroups groups = RankGroups.of(0, 1, 0, 1, 1);
    assertThat(groups.sender(0, 0)).isZero();
    assertThat(groups.sender(0, 2)).isEqualTo(2);
    assertThat(groups.sender(0, 1)).isEqualTo(2);
    assertThat(groups.sender(1, 0)).isEqualTo(1);
    assertThat(groups.sender(1, 2)).isEqualTo(4);
  }

  @Test
  void digestsTellShapesApart() {
    MoeShape shape = decode(4).build();
    assertThat(decode(4).build().digest()).isEqualTo(shape.digest());
    assertThat(decode(4).build()).isEqualTo(shape).hasSameHashCodeAs(shape);
    assertThat(decode(4).lanes(2).build().digest()).isNotEqualTo(shape.digest());
    assertThat(decode(4).groups(RankGroups.of(0, 0, 1, 1)).build().digest())
        .isNotEqualTo(decode(4).groups(RankGroups.of(0, 1, 1, 0)).build().digest());
  }

  @Test
  void refusesWhatIsNoShape() {
    ExpertPlacement two = ExpertPlacement.even(2, 2);
    refused(() -> MoeShape.builder(two, 3, 1, 1, 1), "expected topK of 1 to 2, got 3");
    refused(
        () -> MoeShape.builder(two, 1, 0, 1, 1), "expected maxTokens of 1 to 2147483647, got 0");
    refused(
        () -> MoeShape.builder(two, 1, 1, 1, 1).groups(RankGroups.single(3)),
        "expected ranks in groups of 2 to 2, got 3");
    refused(() -> MoeShape.builder(two, 1, 1, 1, 1).lanes(65), "expected lanes of 1 to 64, got 65");
    refused(
        () -> ExpertPlacement.of(2, new int[][] {{0}, {1, 1}}),
        "expected different ranks for expert 1, got rank 1 twice");
    refused(
        () -> ExpertPlacement.of(2, new int[][] {{0}, {2}}),
        "expected ranks of 0 to 1 for expert 1, got 2");
    refused(
        () -> ExpertPlacement.of(2, new int[][] {{0}, {}}),
        "expected at least one rank for expert 1, got none");
    refused(
        () -> RankGroups.of(0, 2, 2),
        "expected groups that are numbered without a gap, got none with the number 1");
    refused(
        () -> RankGroups.equal(6, 4), "expected a number of ranks that groups of 4 divide, got 6");
    refused(
        () ->
            MoeShape.builder(ExpertPlacement.even(1_024, 1_024), 1, 1 << 22, 1, 1)
                .privateTokens(8)
                .build(),
        "expected at most 2147483647 tokens that a rank may get, got 4294967296 on rank 0;"
            + " set maxReceived, fewer privateTokens, or fewer tokens for a step");
    refused(
        () ->
            MoeShape.builder(ExpertPlacement.even(1_024, 1_024), 1, 1 << 22, 1, 1)
                .privateTokens(1 << 22)
                .maxReceived(1)
                .build(),
        "expected at most 2147483647 private slots, got 4290772992 on rank 0;"
            + " set maxReceived, fewer privateTokens, or fewer tokens for a step");
    refused(
        () ->
            MoeShape.builder(ExpertPlacement.even(1, 1), 1, 1 << 30, 1 << 30, 1).lanes(64).build(),
        "expected memory of at most 2^63 bytes, got more for 64 lanes of rank 0");
  }

  /** As many rows as all tokens of all groups could fill are more than a long counts here. */
  @Test
  void aBoundHoldsHoweverMuchCouldCome() {
    int ranks = ExpertPlacement.MAX_RANKS;
    int[][] allOnRank0 = new int[ExpertPlacement.MAX_INSTANCES][1];
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.of(ranks, allOnRank0), 1, 1 << 30, 1, 1)
            .privateTokens(0)
            .maxReceived(8)
            .build();
    assertThat(shape.memory(0).tokenRows()).isEqualTo(8);
  }
}
