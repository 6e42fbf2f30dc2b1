package io.reactivetransfer.weights;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.check.TrainerSums;
import io.reactivetransfer.weights.codec.WeightsCodec;
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.safetensors.SafetensorsFile;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What cannot be is refused where it is said, by its name. */
@Timeout(60)
class BadInputTest {

  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final Tensor TENSOR = new Tensor("w", DataType.BF16, Shape.of(8, 8));

  private static void requireRefused(ThrowingCallable call, String text) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(text);
  }

  @SuppressWarnings("NullAway") // that is what is tested
  private static <T> T nothing() {
    return null;
  }

  private static void requireNamed(ThrowingCallable call, String parameter) {
    assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessage(parameter);
  }

  @Test
  void aRankThatTheMeshHasNotAlsoWhereAllHoldTheSame() {
    Sharding replicated = Sharding.replicated(Mesh.of("m", Mesh.axis("a", 6)));
    requireRefused(() -> replicated.of(TENSOR, 6), "expected a rank of 0 to 5 of mesh m, got 6");
    requireRefused(() -> replicated.of(TENSOR, -1), "expected a rank of 0 to 5 of mesh m, got -1");
    assertThat(replicated.of(TENSOR, 5).elements()).isEqualTo(64);
  }

  @Test
  void sharesThatCannotBeAddressed() {
    requireRefused(
        () -> new FlatShards(List.of(TENSOR), 2, Long.MAX_VALUE), "expected shares of less than");
    Tensor huge = new Tensor("huge", DataType.INT8, Shape.of(1L << 56));
    requireRefused(
        () -> new FlatShards(List.of(huge, huge), 3, 1L << 60), "expected shares of less than");
    assertThat(new FlatShards(List.of(TENSOR), 3, 1).bytes()).isEqualTo(44);
  }

  @Test
  void bytesBelowNone() {
    requireRefused(() -> Planner.create().wholeBytes(-1), "0 bytes or more");
    assertThat(Planner.create().wholeBytes(0)).isNotNull();
  }

  @Test
  void theNameOfATensorThatCannotBeShown() {
    requireRefused(() -> ChecksumScope.allOf("a\n"), "in the name of a tensor");
    requireRefused(() -> ChecksumScope.allOf(""), "as the name of a tensor");
  }

  @Test
  void whatIsNotGiven() {
    requireNamed(() -> new WeightsUpdate(1, UpdateMode.IN_PLACE, nothing(), PATIENCE), "arrivals");
    requireNamed(
        () -> new WeightsUpdate(1, UpdateMode.IN_PLACE, Map.of("a", 1L), nothing()), "deadline");
    requireNamed(() -> SafetensorsFile.open(nothing()), "file");
    requireNamed(() -> WeightsCodec.decodeTable(nothing()), "bytes");
    requireNamed(() -> WeightsCodec.decodeSourceRank(nothing()), "bytes");
    requireNamed(() -> new ChecksumScope(nothing(), nothing()), "degree");
  }

  @Test
  void memoryThatOneThreadAloneMayRead() {
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment segment = confined.allocate(8);
      requireRefused(() -> SourceMemory.loaded(segment), "that any thread may read");
    }
    assertThat(SourceMemory.loaded(Arena.ofAuto().allocate(8)).length()).isEqualTo(8);
  }

  @Test
  void aTrainerOfAnotherEngine() {
    TransferEngine engine = engine();
    TransferEngine other = engine();
    RoutingTable table = table();
    TrainerRank trainer =
        TrainerRank.open(
                engine,
                table,
                0,
                List.of(SourceMemory.loaded(Arena.ofAuto().allocate(TENSOR.bytes(), 64))),
                RunOptions.defaults())
            .block(PATIENCE);
    assertThat(trainer).isNotNull();
    String text = "expected the engine of trainer t, which is " + engine.id() + ", got ";
    requireRefused(() -> TrainerService.open(other, trainer, table), text + other.id());
    requireRefused(() -> TrainerService.local(other, trainer, table), text + other.id());
    requireRefused(() -> TrainerSums.of(other, trainer, table), text + other.id());
    // Nothing is left of them.
    TrainerService service = TrainerService.open(engine, trainer, table);
    service.close().then(trainer.close()).block(PATIENCE);
    other.close().then(engine.close()).block(PATIENCE);
  }

  private static TransferEngine engine() {
    return TransferEngineBuilder.create().backend("loopback").open().block(PATIENCE);
  }

  private static RoutingTable table() {
    Sharding one = Sharding.replicated(Mesh.of("m"));
    List<Piece> pieces = one.of(TENSOR, 0).pieces(0, 0);
    return Planner.create()
        .plan(
            List.of(
                new SourceRank(
                    Rank.of("t", RegionSpec.loaded(TENSOR.bytes())),
                    List.of(new SourceShare(TENSOR, "g", pieces)))),
            List.of(
                new TargetRank(
                    Rank.of("r", RegionSpec.registered(TENSOR.bytes())),
                    List.of(new TargetShare(TENSOR, Content.of("w"), pieces)))));
  }
}
