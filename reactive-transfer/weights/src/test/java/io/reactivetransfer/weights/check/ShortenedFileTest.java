package io.reactivetransfer.weights.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.tck.process.JavaProcess;
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
import io.reactivetransfer.weights.plan.Planner;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.remote.TrainerService;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.run.SourceMemory;
import io.reactivetransfer.weights.run.TrainerRank;
import io.reactivetransfer.weights.version.RankMember;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.WeightsBuffer;
import io.reactivetransfer.weights.version.WeightsController;
import io.reactivetransfer.weights.version.WeightsRank;
import io.reactivetransfer.weights.version.WeightsRankBuilder;
import io.reactivetransfer.weights.version.WeightsUpdate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A mapped file that somebody has shortened ends an update, and never the process. */
@Timeout(170)
class ShortenedFileTest {

  private static final Duration PATIENCE = Duration.ofSeconds(40);

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({
    "registered, sampled, a trainer has failed", // be it by its sums or by its writes
    "registered, all, a trainer has failed",
    "loaded, sampled, a trainer has failed",
    "rank, sampled, of a mapped file",
    "rank, all, of a mapped file"
  })
  void anUpdateEndsWithItsReason(String who, String scope, String reason) throws Exception {
    Path file = folder.resolve("weights");
    try (JavaProcess process =
        JavaProcess.start(Program.class.getName(), file.toString(), who, scope)) {
      int exitCode = process.exitCode();
      assertThat(process.stdout()).as(process.stderr()).contains("ABORTED").contains(reason);
      assertThat(exitCode).isZero();
    }
  }

  /** A trainer and a rank, one of which has its bytes in a file. */
  static final class Program {

    private static final Tensor TENSOR = new Tensor("w", DataType.BF16, Shape.of(512, 256));

    private Program() {}

    public static void main(String[] arguments) throws IOException {
      Path file = Path.of(arguments[0]);
      String who = arguments[1];
      ChecksumScope scope =
          arguments[2].equals("all") ? ChecksumScope.all() : ChecksumScope.sampled();
      MemorySegment mapped = mapped(file);
      MemorySegment usual = Arena.global().allocate(TENSOR.bytes(), 64);
      boolean isRank = who.equals("rank");
      RoutingTable table = table(who.equals("loaded"));
      TransferEngine engine = engine();
      TransferEngine rankEngine = engine();
      WeightsRankBuilder rank =
          WeightsRank.on(rankEngine, "rank").buffer(WeightsBuffer.of(isRank ? mapped : usual));
      if (isRank) {
        Checksums checksums = Checksums.open(rankEngine);
        rank.verify(filled -> {
          shorten(file);
          return checksums.apply(filled);
        });
      }
      rank.open().block(PATIENCE);
      MemorySegment source = isRank ? usual : mapped;
      SourceMemory memory =
          who.equals("loaded")
              ? SourceMemory.loaded(source)
              : SourceMemory.of(engine.register(source).block(PATIENCE));
      TrainerRank trainer =
          TrainerRank.open(engine, table, 0, List.of(memory), RunOptions.defaults())
              .block(PATIENCE);
      if (!isRank) {
        shorten(file);
      }
      UpdateResult result =
          WeightsController.open(engine)
              .update(
                  new WeightsUpdate(
                      1, UpdateMode.IN_PLACE, Map.of("rank", table.arrivals()[0]), PATIENCE),
                  List.of(new RankMember("rank", engine.peer(rankEngine.address()))),
                  List.of(TrainerService.local(engine, trainer, table, scope)))
              .block(PATIENCE);
      System.out.println(result);
      System.exit(0);
    }

    private static RoutingTable table(boolean isLoaded) {
      Sharding one = Sharding.replicated(Mesh.of("m"));
      RegionSpec source =
          isLoaded ? RegionSpec.loaded(TENSOR.bytes()) : RegionSpec.registered(TENSOR.bytes());
      return Planner.create()
          .plan(
              List.of(
                  new SourceRank(
                      Rank.of("trainer", source),
                      List.of(new SourceShare(TENSOR, "g", one.of(TENSOR, 0).pieces(0, 0))))),
              List.of(
                  new TargetRank(
                      Rank.of("rank", RegionSpec.registered(TENSOR.bytes())),
                      List.of(
                          new TargetShare(
                              TENSOR, Content.of("w"), one.of(TENSOR, 0).pieces(0, 0))))));
    }

    private static TransferEngine engine() {
      return TransferEngineBuilder.create().backend("loopback").open().block(PATIENCE);
    }

    private static MemorySegment mapped(Path file) throws IOException {
      Files.write(file, new byte[(int) TENSOR.bytes()]);
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        return channel.map(FileChannel.MapMode.READ_WRITE, 0, TENSOR.bytes(), Arena.global());
      }
    }

    private static void shorten(Path file) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(0);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
