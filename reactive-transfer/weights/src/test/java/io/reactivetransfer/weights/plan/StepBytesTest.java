package io.reactivetransfer.weights.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.weights.Content;
import io.reactivetransfer.weights.DataType;
import io.reactivetransfer.weights.Mesh;
import io.reactivetransfer.weights.Rank;
import io.reactivetransfer.weights.RegionSpec;
import io.reactivetransfer.weights.Shape;
import io.reactivetransfer.weights.Sharding;
import io.reactivetransfer.weights.SourceRank;
import io.reactivetransfer.weights.SourceShare;
import io.reactivetransfer.weights.TargetRank;
import io.reactivetransfer.weights.TargetShare;
import io.reactivetransfer.weights.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How much is prepared at once depends on how much a rank prepares; nothing is filled here. */
class StepBytesTest {

  private static final long MIB = 1 << 20;
  private static final long COLUMNS = 1024;

  private static final long BYTES_OF_FP32 = 4;
  private static final long BYTES_OF_BF16 = 2;

  /** The bytes that each step makes. */
  private static List<Long> made(Planner planner, int ranks, Tensor... tensors) {
    RoutingTable table = planner.plan(sources(ranks, tensors), List.of(target(tensors)));
    List<Long> bytes = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      for (Step step : table.steps(rank)) {
        bytes.add(table.outputBytes((Step.Prepare) step));
      }
    }
    return bytes;
  }

  private static List<SourceRank> sources(int ranks, Tensor... tensors) {
    Sharding rows =
        Sharding.replicated(Mesh.of("train", Mesh.axis("fsdp", ranks))).split(0, "fsdp");
    List<SourceRank> sources = new ArrayList<>();
    for (int rank = 0; rank < ranks; rank++) {
      List<SourceShare> shares = new ArrayList<>();
      long next = 0;
      for (Tensor tensor : tensors) {
        shares.add(new SourceShare(tensor, "g", rows.of(tensor, rank).pieces(0, next)));
        next += rows.of(tensor, rank).bytes();
      }
      sources.add(new SourceRank(Rank.of("trainer-" + rank, RegionSpec.registered(next)), shares));
    }
    return sources;
  }

  /** One that wants all of them in BF16. */
  private static TargetRank target(Tensor... tensors) {
    Sharding all = Sharding.replicated(Mesh.of("serve"));
    List<TargetShare> shares = new ArrayList<>();
    long next = 0;
    for (Tensor tensor : tensors) {
      Tensor wanted = new Tensor(tensor.name(), DataType.BF16, tensor.shape());
      shares.add(
          new TargetShare(wanted, Content.of(tensor.name()), all.of(wanted, 0).pieces(0, next)));
      next += wanted.bytes();
    }
    return new TargetRank(Rank.of("rank", RegionSpec.registered(next)), shares);
  }

  private static Tensor tensor(String name, DataType type, long bytes) {
    return new Tensor(name, type, Shape.of(bytes * Byte.SIZE / type.bits() / COLUMNS, COLUMNS));
  }

  private static Tensor fp32(String name, long bytes) {
    return tensor(name, DataType.FP32, bytes);
  }

  /** What a step of so many bytes, read and made, makes. */
  private static long madeOf(long stepBytes) {
    return stepBytes * BYTES_OF_BF16 / (BYTES_OF_BF16 + BYTES_OF_FP32);
  }

  @Test
  void aStepIsAThirtySecondOfWhatARankPrepares() {
    long all = 512 * MIB;
    long part = madeOf((all + all / 2) / 32);
    List<Long> made = made(Planner.create(), 1, fp32("small", all / 4), fp32("large", all * 3 / 4));
    assertThat(made).hasSize(32).allSatisfy(bytes -> assertThat(bytes).isEqualTo(part));
  }

  @Test
  void itIsOfWhatOneRankPreparesAndNotAll() {
    long all = 512 * MIB;
    assertThat(made(Planner.create(), 4, fp32("w", 4 * all)))
        .hasSize(4 * 32)
        .allSatisfy(bytes -> assertThat(bytes).isEqualTo(madeOf((all + all / 2) / 32)));
  }

  @Test
  void itIsNotBelowOneMebibyte() {
    List<Long> made = made(Planner.create(), 1, fp32("w", 6 * MIB));
    assertThat(made).hasSize(10).allSatisfy(bytes -> assertThat(bytes).isGreaterThan(MIB / 4));
  }

  @Test
  void itIsNotAbove64MebibytesNorAboveWhatIsSaid() {
    Tensor tensor = fp32("w", 64L << 30);
    assertThat(made(Planner.create(), 1, tensor))
        .hasSizeGreaterThanOrEqualTo(96 * 16)
        .allSatisfy(bytes -> assertThat(bytes).isBetween(madeOf(60 * MIB), madeOf(64 * MIB)));
    assertThat(made(Planner.create().stepBytes(16 * MIB), 1, tensor))
        .allSatisfy(bytes -> assertThat(bytes).isLessThanOrEqualTo(madeOf(16 * MIB)));
    assertThat(made(Planner.create().stepBytes(MIB / 2), 1, fp32("w", 6 * MIB)))
        .allSatisfy(bytes -> assertThat(bytes).isLessThanOrEqualTo(madeOf(MIB / 2)));
  }

  @Test
  void whatGoesAsItLiesDoesNotCount() {
    Tensor direct = tensor("direct", DataType.BF16, 1L << 30);
    RoutingTable table =
        Planner.create()
            .plan(
                sources(1, direct, fp32("w", 64 * MIB)),
                List.of(target(direct, fp32("w", 64 * MIB))));
    List<Step.Prepare> prepares =
        table.steps(0).stream()
            .filter(Step.Prepare.class::isInstance)
            .map(Step.Prepare.class::cast)
            .toList();
    assertThat(prepares).hasSize(32);
  }
}
