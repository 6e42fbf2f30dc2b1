package io.reactivetransfer.weights.version;

import static io.reactivetransfer.weights.version.Cluster.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Mono;

/** Readers that look at every byte of each batch, while updates come, fail and are cancelled. */
@Timeout(120)
class ReadersTest {

  @ParameterizedTest
  @CsvSource({"loopback, 30, 1", "tcp, 20, 2"})
  void nobodySeesAMixture(String backend, int rounds, long seed) throws Exception {
    int updates = rounds * Integer.getInteger("reactivetransfer.rounds", 1);
    Random random = new Random(seed);
    AtomicBoolean ends = new AtomicBoolean();
    AtomicLong batches = new AtomicLong();
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (Cluster cluster = new Cluster(backend, 2, 2)) {
      List<Thread> readers = new ArrayList<>();
      for (WeightsRank rank : cluster.ranks) {
        readers.add(
            Thread.ofPlatform()
                .start(() -> {
                  try {
                    while (!ends.get()) {
                      batches.addAndGet(batch(rank));
                    }
                  } catch (Throwable thrown) {
                    failure.set(thrown);
                  }
                }));
      }
      int flips = 0;
      for (int i = 1; i <= updates; i++) {
        int version = i % 100;
        UpdateMode mode = UpdateMode.values()[random.nextInt(UpdateMode.values().length)];
        int trouble = random.nextInt(4);
        cluster.trainers.getFirst().chunksUntilFailure = trouble == 0 ? random.nextInt(8) : -1;
        if (trouble == 1) {
          CompletableFuture<UpdateResult> given = cluster.update(version, mode).toFuture();
          TimeUnit.MICROSECONDS.sleep(random.nextInt(3_000));
          given.cancel(true);
          ready(cluster);
          continue;
        }
        UpdateResult result = await(cluster.update(version, mode));
        assertThat(result.isConfirmed()).as("%s", result).isTrue();
        assertThat(result.isFlipped()).as("%s", result).isEqualTo(trouble != 0);
        flips += result.isFlipped() ? 1 : 0;
        if (result.isFlipped()) {
          long before = batches.get();
          Mono.when(cluster.ranks.stream().map(WeightsRank::serving).toList())
              .block(Cluster.PATIENCE);
          assertThat(batches.get()).isGreaterThanOrEqualTo(before);
        }
      }
      ends.set(true);
      for (Thread reader : readers) {
        reader.join();
      }
      assertThat(failure.get()).isNull();
      assertThat(flips).isGreaterThan(updates / 4);
      assertThat(batches).hasValueGreaterThan(updates);
    }
  }

  /** A cancelled update is given up, or was decided; then the next one may begin. */
  private static void ready(Cluster cluster) throws InterruptedException {
    while (true) {
      try {
        await(cluster.controller.recover(cluster.members(), Cluster.PATIENCE));
        return;
      } catch (IllegalStateException busy) {
        TimeUnit.MILLISECONDS.sleep(1);
      }
    }
  }

  private static int batch(WeightsRank rank) {
    VersionLease lease = rank.tryLease();
    if (lease == null) {
      Thread.onSpinWait();
      return 0;
    }
    try (lease) {
      assertThat(Cluster.read(lease)).isEqualTo((int) lease.version());
      assertThat(Cluster.read(lease)).isEqualTo((int) lease.version());
    }
    return 1;
  }
}
