package io.reactivetransfer.micrometer;

import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Statistic;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.loopback.LoopbackNetwork;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import reactor.core.publisher.Flux;

/** Engines of one network, and what a registry says of them. */
final class MeteredEngines implements AfterEachCallback {

  static final Duration PATIENCE = Duration.ofSeconds(20);
  static final long LENGTH = 64;

  private final Backend loopback =
      LoopbackBackend.builder().network(new LoopbackNetwork()).defaultNics(2).build();
  private final Backend backend =
      new ForwardingBackend(
          loopback,
          (domain, context) ->
              new ForwardingDomain(domain) {
                @Override
                public PostResult post(Operation op) {
                  return busy ? PostResult.NIC_BUSY : super.post(op);
                }
              });
  private final List<TransferEngine> opened = new ArrayList<>();
  private final Arena arena = Arena.ofShared();

  /** Whether NICs take nothing. */
  volatile boolean busy;

  TransferEngine open(EngineRecorder recorder) {
    TransferEngine engine =
        TransferEngineBuilder.create()
            .backend(backend)
            .options(EngineOptions.builder().minPieceBytes(1).recorder(recorder).build())
            .open()
            .block(PATIENCE);
    opened.add(engine);
    return engine;
  }

  MemoryRegion region(TransferEngine engine) {
    return engine.register(arena.allocate(LENGTH)).block(PATIENCE);
  }

  WriteImm write(TransferEngine origin, TransferEngine target) {
    RemoteRegion remote = origin.remote(region(target).descriptor());
    return WriteImm.of(region(origin).whole(), remote.whole(), Imm.of(1));
  }

  /** So many writes of {@link #LENGTH} bytes each, in one stream, until all have come. */
  void write(TransferEngine origin, TransferEngine target, int count) {
    WriteImm write = write(origin, target);
    origin.submit(Flux.range(0, count).map(_ -> write)).then().block(PATIENCE);
    target.counter(Imm.of(1)).next(count).block(PATIENCE);
  }

  static void close(TransferEngine engine) {
    engine.close().block(PATIENCE);
  }

  /** The sum of these, 0 if there is none. */
  static double sum(MeterRegistry registry, String name, String... tags) {
    return registry.find(Meters.PREFIX + name).tags(tags).meters().stream()
        .mapToDouble(MeteredEngines::value)
        .sum();
  }

  /** A timer's is how often. */
  private static double value(Meter meter) {
    return StreamSupport.stream(meter.measure().spliterator(), false)
        .filter(each ->
            each.getStatistic() != Statistic.TOTAL_TIME && each.getStatistic() != Statistic.MAX)
        .mapToDouble(each -> each.getValue())
        .sum();
  }

  /** Meters come and follow a moment later. */
  static void until(double expected, MeterRegistry registry, String name, String... tags) {
    await(name + " " + List.of(tags))
        .atMost(PATIENCE)
        .until(() -> sum(registry, name, tags), each -> each == expected);
  }

  static String tag(TransferEngine engine) {
    return engine.id().toShortString();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    close();
  }

  void close() {
    busy = false;
    opened.forEach(MeteredEngines::close);
    arena.close();
  }
}
