package io.reactivetransfer.weights.remote;

import static io.reactivetransfer.weights.remote.Rig.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.check.Checksums;
import io.reactivetransfer.weights.plan.RoutingTable;
import io.reactivetransfer.weights.plan.Runs;
import io.reactivetransfer.weights.plan.Step;
import io.reactivetransfer.weights.plan.TableTensor;
import io.reactivetransfer.weights.run.RunOptions;
import io.reactivetransfer.weights.version.FilledBuffer;
import io.reactivetransfer.weights.version.UpdateMode;
import io.reactivetransfer.weights.version.UpdateResult;
import io.reactivetransfer.weights.version.UpdateResult.Decision;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Bytes that came otherwise than they were sent are found, and named. */
@Timeout(240)
class RemoteChecksumsTest {

  private static final Consumer<FilledBuffer> NOTHING = filled -> {};

  /** What happens to bytes on the way to a rank, after all have come. */
  private final AtomicReference<Consumer<FilledBuffer>> damage = new AtomicReference<>(NOTHING);

  /** A busy machine says them late; who says none is not waited for so long. */
  private Duration sumsWithin = Duration.ofSeconds(20);

  private Function<FilledBuffer, Publisher<?>> damaged(TransferEngine engine) {
    Checksums checksums =
        Checksums.open(engine, sumsWithin, Schedulers.parallel(), Schedulers.boundedElastic());
    return filled -> {
      damage.get().accept(filled);
      return checksums.apply(filled);
    };
  }

  private Rig rig(String backend, Rig.Case of) {
    return new Rig(backend, of, RunOptions::builder, this::damaged);
  }

  private static void flip(FilledBuffer filled, int region, long at) {
    MemorySegment memory = ((HostMemory) filled.regions().get(region)).segment();
    byte was = memory.get(ValueLayout.JAVA_BYTE, at);
    memory.set(ValueLayout.JAVA_BYTE, at, (byte) (was ^ 1));
  }

  /** One byte that somebody writes. */
  private record Place(String trainer, String tensor, int target, int region, long at) {}

  private static List<Place> places(RoutingTable table, Random random) {
    List<Place> places = new ArrayList<>();
    for (int source = 0; source < table.sources().size(); source++) {
      for (Step step : table.steps(source)) {
        Runs runs = step.runs();
        for (int run = 0; run < runs.size() && !(step instanceof Step.Gather); run++) {
          TableTensor entry = table.tensors().get(step.tensor());
          if (runs.sourceRegion(run) == Runs.SCALES) {
            entry = table.tensors().get(entry.scales());
          }
          places.add(
              new Place(
                  table.sources().get(source).name(),
                  entry.tensor().name(),
                  runs.target(run, random.nextInt(runs.targets(run))),
                  runs.targetRegion(run),
                  runs.targetOffset(run)
                      + random.nextInt(runs.rows(run)) * runs.targetStride(run)
                      + random.nextLong(runs.rowBytes(run))));
        }
      }
    }
    return places;
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.remote.Rig#carriers")
  void whereAllIsSummedUpEachByteThatDiffersIsFoundAndNamed(String backend) {
    Random random = new Random(7);
    for (int round = 0; round < 2; round++) {
      Rig.Case of = Rig.Case.from(200 + 10 * round, table -> table.targets().size() > 1);
      List<Place> places = places(of.table(), random);
      try (Rig rig = rig(backend, of)) {
        rig.checksums = ChecksumScope.all();
        rig.requireFlips(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
        for (int i = 0; i < 4; i++) {
          Place place = places.get(random.nextInt(places.size()));
          String rank = of.table().targets().get(place.target()).name();
          damage.set(filled -> {
            if (filled.rank().equals(rank)) {
              flip(filled, place.region(), place.at());
            }
          });
          UpdateResult result =
              await(rig.update(2 + i, UpdateMode.TWO_BUFFERS_OUTLIVE, Rig.PATIENCE));
          assertThat(result.decision()).isEqualTo(Decision.ABORTED);
          assertThat(result.reason())
              .contains("tensor " + place.tensor() + ",")
              .contains("from trainer " + place.trainer() + " ")
              .contains("to rank " + rank + ":")
              .contains("expected CRC-32C");
        }
        damage.set(NOTHING);
        rig.requireFlips(9, UpdateMode.IN_PLACE);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("io.reactivetransfer.weights.remote.Rig#carriers")
  void aSampleFindsWhatIsWrongEverywhere(String backend) {
    Rig.Case of = Rig.Case.from(300, table -> table.targets().size() > 1);
    try (Rig rig = rig(backend, of)) {
      for (int rank = 0; rank < rig.ranks.size(); rank++) {
        String name = rig.ranks.get(rank).name();
        damage.set(filled -> {
          for (int region = 0; region < filled.regions().size(); region++) {
            for (long at = 0; at < filled.regions().get(region).length(); at++) {
              if (filled.rank().equals(name)) {
                flip(filled, region, at);
              }
            }
          }
        });
        UpdateResult result =
            await(rig.update(2 + rank, UpdateMode.TWO_BUFFERS_OUTLIVE, Rig.PATIENCE));
        assertThat(result.decision()).isEqualTo(Decision.ABORTED);
        assertThat(result.reason()).contains("to rank " + name + ":");
      }
      damage.set(NOTHING);
      // Damaged memory is written anew, but for what nobody writes.
      assertThat(await(rig.update(9, UpdateMode.TWO_BUFFERS_OUTLIVE, Rig.PATIENCE)).isFlipped())
          .isTrue();
    }
  }

  @Test
  void oneTensorIsSummedUpAsAWholeOnRequest() {
    Random random = new Random(11);
    Rig.Case of = Rig.Case.from(400, table -> table.targets().size() > 1);
    List<Place> places = places(of.table(), random);
    try (Rig rig = rig("loopback", of)) {
      for (int i = 0; i < 5; i++) {
        Place place = places.get(random.nextInt(places.size()));
        rig.checksums = ChecksumScope.allOf(place.tensor());
        String rank = of.table().targets().get(place.target()).name();
        damage.set(filled -> {
          if (filled.rank().equals(rank)) {
            flip(filled, place.region(), place.at());
          }
        });
        UpdateResult result =
            await(rig.update(2 + i, UpdateMode.TWO_BUFFERS_OUTLIVE, Rig.PATIENCE));
        assertThat(result.decision()).isEqualTo(Decision.ABORTED);
        assertThat(result.reason()).contains("tensor " + place.tensor() + ",");
      }
      rig.checksums = ChecksumScope.allOf("nobody has it");
      UpdateResult result = await(rig.update(8, UpdateMode.IN_PLACE, Rig.PATIENCE));
      assertThat(result.decision()).isEqualTo(Decision.ABORTED);
      assertThat(result.reason())
          .contains("expected tensors of the inference engine")
          .contains("nobody has it");
    }
  }

  @Test
  void aTrainerThatSaysNoSumsEndsTheUpdate() {
    sumsWithin = Duration.ofSeconds(8);
    Rig.Case of = Rig.Case.from(500, table -> true);
    try (Rig rig = rig("loopback", of)) {
      rig.requireFlips(1, UpdateMode.TWO_BUFFERS_OUTLIVE);
      rig.checksums = ChecksumScope.none();
      UpdateResult result = await(rig.update(2, UpdateMode.TWO_BUFFERS_OUTLIVE, Rig.PATIENCE));
      assertThat(result.decision()).isEqualTo(Decision.ABORTED);
      assertThat(result.reason())
          .contains("expected sums of all ")
          .contains("got those of 0 by nobody")
          .contains("within PT8S");
      rig.checksums = ChecksumScope.all();
      rig.requireFlips(3, UpdateMode.TWO_BUFFERS_OUTLIVE);
    }
  }

  @Test
  void ranksThatDoNotLookAreNotWaitedFor() {
    Rig.Case of = Rig.Case.from(600, table -> true);
    try (Rig rig = new Rig("loopback", of, RunOptions::builder, engine -> filled -> Mono.empty())) {
      rig.checksums = ChecksumScope.all();
      for (int i = 1; i < 40; i++) {
        rig.requireFlips(i, UpdateMode.TWO_BUFFERS_OUTLIVE);
      }
    }
  }
}
