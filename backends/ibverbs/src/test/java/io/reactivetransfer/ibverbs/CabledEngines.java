package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Nic;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TrafficStats;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * Two engines at the two ends of the guest's cables, see {@link Cables}, with a NIC at each of
 * them. What one writes to the other crosses the cables, though both are of this process; what they
 * say on the control channel does not.
 */
final class CabledEngines implements AutoCloseable {

  /** Within this everything ends; the guest is emulated, and may share its processors. */
  static final Duration LIMIT = Duration.ofSeconds(90);

  /**
   * Of the engines, of which none is to be taken for lost. A lost way is tried again a quarter
   * later.
   */
  private static final Duration LIVENESS = Duration.ofSeconds(20);

  /** Between two looks at something that notifies nobody. */
  private static final Duration LOOK = Duration.ofMillis(5);

  private final Arena arena = Arena.ofShared();
  private final List<TransferEngine> engines = new ArrayList<>();
  private final List<String> lostWays = new CopyOnWriteArrayList<>();

  /** With so many NICs each. */
  CabledEngines(int nics) {
    EngineRecorder recorder =
        new EngineRecorder() {
          @Override
          public void wayLost(Peer peer, Nic nic, String reason) {
            lostWays.add(nic + ": " + reason);
          }
        };
    EngineOptions options =
        EngineOptions.builder()
            .nics(nics)
            .livenessDeadline(LIVENESS)
            .minPieceBytes(4_096)
            .recorder(recorder)
            .build();
    for (String side : List.of("rxa", "rxb")) {
      String[] devices = IntStream.range(0, nics).mapToObj(i -> side + i).toArray(String[]::new);
      IbverbsBackend backend = IbverbsBackend.builder().devices(devices).build();
      engines.add(await(TransferEngineBuilder.create().backend(backend).options(options).open()));
    }
  }

  TransferEngine a() {
    return engines.getFirst();
  }

  TransferEngine b() {
    return engines.getLast();
  }

  MemorySegment allocate(long bytes) {
    return arena.allocate(bytes, 64);
  }

  static MemoryRegion register(TransferEngine engine, MemorySegment memory) {
    return await(engine.register(memory));
  }

  /** Why ways were lost so far, each as the two ends of it say. */
  List<String> lostWays() {
    return lostWays;
  }

  /** What goes over this NIC of the first engine. */
  TrafficStats trafficOfA(int nic) {
    return a().stats().nics().get(a().nics().get(nic));
  }

  /** What it gives, in time. */
  static <T> T await(Mono<T> mono) {
    T value = mono.block(LIMIT);
    assertThat(value).isNotNull();
    return value;
  }

  /** Waits for its end. */
  static void complete(Mono<Void> mono) {
    Void ignored = mono.block(LIMIT);
  }

  /** Waits until something is so. */
  static void until(String what, BooleanSupplier condition) {
    @Nullable Long looks =
        Mono.delay(LOOK).repeat().takeUntil(_ -> condition.getAsBoolean()).count().block(LIMIT);
    assertThat(looks).as(what).isNotNull();
  }

  /** Closes both, and frees the memory. */
  @Override
  public void close() {
    engines.forEach(engine -> complete(engine.close()));
    arena.close();
  }
}
