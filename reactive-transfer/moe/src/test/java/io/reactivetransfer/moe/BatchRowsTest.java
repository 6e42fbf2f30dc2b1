package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

/** Which rows of a batch come from whom. */
class BatchRowsTest {

  private static final RankGroups GROUPS = RankGroups.of(0, 1, 0);

  /** Two groups, one of which has two ranks; one expert is on two of them. */
  private static final MoeShape SHAPE =
      MoeShape.builder(ExpertPlacement.of(3, new int[][] {{0}, {0, 1}, {2}, {1}, {2}}), 2, 9, 12, 3)
          .groups(GROUPS)
          .privateTokens(2)
          .expertAlignment(4)
          .build();

  @Test
  void thoseOfEachGroupFollowEachOtherByToken() {
    try (Cluster cluster = Cluster.loopback(3);
        Rig rig = new Rig(cluster, SHAPE, Rig.OPTIONS)) {
      for (Rig.Tokens tokens : StepsTest.tokens(new RandomSteps(20_261_130), SHAPE, 6)) {
        List<Mono<Void>> steps = new ArrayList<>();
        for (int rank = 0; rank < 3; rank++) {
          int of = rank;
          steps.add(
              rig.step(
                  of,
                  0,
                  tokens,
                  batch -> {
                    requireRows(of, tokens, batch);
                    Model.compute(SHAPE, batch);
                  }));
        }
        Mono.when(steps).block(Cluster.PATIENCE);
      }
    }
  }

  private static void requireRows(int rank, Rig.Tokens tokens, ExpertBatch batch) {
    for (int i = 0; i < batch.experts(); i++) {
      int row = batch.firstRow(i);
      for (int group = 0; group < 2; group++) {
        assertThat(batch.firstRow(i, group)).isEqualTo(row);
        List<Integer> of = tokensFor(rank, batch.expert(i), group, tokens);
        assertThat(batch.count(i, group)).isEqualTo(of.size());
        for (int token : of) {
          MemorySegment sent = tokens.payload[group].asSlice(12L * token, 12);
          MemorySegment came = batch.tokens().asSlice(row * batch.tokenStride(), 12);
          assertThat(came.mismatch(sent)).as("row %s of expert %s", row, i).isEqualTo(-1);
          row++;
        }
      }
      assertThat(row).isEqualTo(batch.firstRow(i) + batch.count(i));
    }
  }

  /** The tokens of a group that go to an expert on this rank, in their order. */
  private static List<Integer> tokensFor(int rank, int expert, int group, Rig.Tokens tokens) {
    List<Integer> all = new ArrayList<>();
    int times = 0;
    for (int pair = 0; pair < tokens.experts[group].length; pair++) {
      // Expert 1 is on the ranks 0 and 1, which take turns, and the others are on one.
      if (tokens.experts[group][pair] == expert && (expert != 1 || (times++ + group) % 2 == rank)) {
        all.add(pair / 2);
      }
    }
    return all;
  }

  @Test
  void anotherExpertOrGroupIsRefused() {
    MoeShape alone = MoeShape.builder(ExpertPlacement.even(1, 2), 1, 4, 16, 4).build();
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, alone, Rig.OPTIONS)) {
      Rig.Tokens tokens = new Rig.Tokens(new RandomSteps(1), alone);
      rig.step(
              0,
              0,
              tokens,
              batch -> {
                for (int[] wrong : new int[][] {{2, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
                  assertThatExceptionOfType(IndexOutOfBoundsException.class)
                      .isThrownBy(() -> batch.count(wrong[0], wrong[1]));
                  assertThatExceptionOfType(IndexOutOfBoundsException.class)
                      .isThrownBy(() -> batch.firstRow(wrong[0], wrong[1]));
                }
                Model.compute(alone, batch);
              })
          .block(Cluster.PATIENCE);
    }
  }

  /** Experts that were written for rows do not compute with what is none. */
  @Test
  void rowsOfAShapeInPlaceAreRefusedInWords() {
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(1, 2), 1, 4, 16, 4).inPlace(true).build();
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
      rig.step(
              0,
              0,
              new Rig.Tokens(new RandomSteps(1), shape),
              batch -> {
                List<ThrowingCallable> rows =
                    List.of(
                        () -> batch.firstRow(0),
                        () -> batch.firstRow(0, 0),
                        batch::tokens,
                        batch::results,
                        batch::tokenMemory,
                        batch::resultMemory);
                for (ThrowingCallable each : rows) {
                  assertThatIllegalStateException()
                      .isThrownBy(each)
                      .withMessageEndingWith(
                          "got one in place; take memory() with tokenAt and resultAt, or with"
                              + " runs");
                }
                Model.compute(shape, batch);
              })
          .block(Cluster.PATIENCE);
    }
  }

  /** Of any shape. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void whatAnExpertDoesNotHaveIsRefused(boolean inPlace) {
    MoeShape shape =
        MoeShape.builder(ExpertPlacement.even(1, 2), 1, 4, 16, 4).inPlace(inPlace).build();
    try (Cluster cluster = Cluster.loopback(1);
        Rig rig = new Rig(cluster, shape, Rig.OPTIONS)) {
      rig.step(
              0,
              0,
              new Rig.Tokens(new RandomSteps(1), shape),
              batch -> {
                List<ThrowingCallable> wrong =
                    List.of(
                        () -> batch.tokenAt(0, -1),
                        () -> batch.tokenAt(0, batch.count(0)),
                        () -> batch.resultAt(1, batch.count(1)),
                        () -> batch.tokenAt(2, 0),
                        () -> batch.runs(2, (group, count, tokens, results) -> {}),
                        () -> batch.runs(-1, (group, count, tokens, results) -> {}));
                for (ThrowingCallable each : wrong) {
                  assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(each);
                }
                Model.compute(shape, batch);
              })
          .block(Cluster.PATIENCE);
    }
  }
}
