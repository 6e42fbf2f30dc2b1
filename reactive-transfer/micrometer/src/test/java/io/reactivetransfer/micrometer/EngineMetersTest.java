package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.LENGTH;
import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;
import static io.reactivetransfer.micrometer.MeteredEngines.close;
import static io.reactivetransfer.micrometer.MeteredEngines.sum;
import static io.reactivetransfer.micrometer.MeteredEngines.tag;
import static io.reactivetransfer.micrometer.MeteredEngines.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.WriteImm;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** What a registry says of engines, beside what they did. */
class EngineMetersTest {

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();

  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

  private TransferEngine open() {
    return engines.open(EngineMeters.of(registry).build());
  }

  private static String[] with(String[] tags, String... more) {
    return Stream.of(tags, more).flatMap(Stream::of).toArray(String[]::new);
  }

  @Test
  void figuresAreWhatWasMoved() {
    EngineMeters meters = EngineMeters.of(registry).tags(Tags.of("role", "test")).build();
    TransferEngine origin = engines.open(meters);
    TransferEngine target = engines.open(meters);
    engines.write(origin, target, 12);
    engines.write(target, origin, 3);
    String there = target.address().control().toString();
    until(1, registry, "peer.up", "engine", tag(origin), "peer", there);
    String[] ofOrigin = {"engine", tag(origin), "backend", "loopback", "role", "test"};
    until(1, registry, "streams", with(ofOrigin, "outcome", "done"));
    assertThat(sum(registry, "transfers", with(ofOrigin, "outcome", "done"))).isEqualTo(12);
    assertThat(sum(registry, "transfers", ofOrigin)).isEqualTo(12);
    assertThat(sum(registry, "transferred", ofOrigin)).isEqualTo(12 * LENGTH);
    double pieces = origin.stats().writesPosted();
    assertThat(pieces).isGreaterThanOrEqualTo(12);
    for (String of : List.of("nic", "peer")) {
      assertThat(sum(registry, of + ".writes", ofOrigin)).isEqualTo(pieces);
      assertThat(sum(registry, of + ".sent", ofOrigin)).isEqualTo(12 * LENGTH);
      assertThat(sum(registry, of + ".writes.active", ofOrigin)).isZero();
      assertThat(sum(registry, of + ".writes.failed", ofOrigin)).isZero();
      until(pieces, registry, of + ".arrivals", "engine", tag(target));
      until(12 * LENGTH, registry, of + ".arrivals.bytes", "engine", tag(target));
    }
    assertThat(sum(registry, "nic.up", ofOrigin)).isEqualTo(2);
    assertThat(sum(registry, "regions.open", ofOrigin)).isEqualTo(2);
    assertThat(sum(registry, "peers", with(ofOrigin, "state", "alive"))).isEqualTo(1);
    assertThat(sum(registry, "peers.found", ofOrigin)).isEqualTo(1);
    until(1, registry, "streams", "engine", tag(target));
    assertThat(sum(registry, "transferred", "engine", tag(target))).isEqualTo(3 * LENGTH);
  }

  @Test
  void messagesAreCountedAtBothEnds() {
    TransferEngine origin = open();
    TransferEngine target = open();
    target.messages().subscribe();
    Peer there = origin.remote(engines.region(target).descriptor()).peer();
    origin.send(there, ByteBuffer.allocate(5)).block(PATIENCE);
    origin.send(there, ByteBuffer.allocate(3)).block(PATIENCE);
    Map<String, Integer> ofOrigin =
        Map.of("sent", 2, "sent.bytes", 8, "received", 0, "received.bytes", 0);
    Map<String, Integer> ofTarget =
        Map.of("sent", 0, "sent.bytes", 0, "received", 2, "received.bytes", 8);
    until(1, registry, "peer.up", "engine", tag(origin));
    until(1, registry, "peer.up", "engine", tag(target));
    ofOrigin.forEach((meter, expected) ->
        until(expected, registry, "peer.messages." + meter, "engine", tag(origin)));
    ofTarget.forEach((meter, expected) ->
        until(expected, registry, "peer.messages." + meter, "engine", tag(target)));
  }

  @Test
  void whatAnEngineHoldsIsShown() {
    TransferEngine origin = open();
    TransferEngine target = open();
    WriteImm write = engines.write(origin, target);
    engines.busy = true;
    Mono<WriteImm> done = origin.submit(write).cache();
    done.subscribe();
    target.counter(Imm.of(1)).next(1).subscribe();
    target.lease();
    until(1, registry, "transfers.active", "engine", tag(origin));
    until(1, registry, "claims.pending", "engine", tag(target));
    until(1, registry, "leases.open", "engine", tag(target));
    until(1, registry, "peer.transfers.waiting", "engine", tag(origin));
    engines.busy = false;
    done.block(PATIENCE);
    until(0, registry, "transfers.active", "engine", tag(origin));
    until(0, registry, "claims.pending", "engine", tag(target));
    until(0, registry, "peer.transfers.waiting", "engine", tag(origin));
    until(1, registry, "peer.queue", "engine", tag(origin));
    assertThat(sum(registry, "peer.refusals", "engine", tag(origin))).isPositive();
    assertThat(
            registry
                .get("reactive.transfer.peer.queue")
                .tag("engine", tag(origin))
                .functionTimer()
                .totalTime(TimeUnit.NANOSECONDS))
        .isPositive();
    until(1, registry, "streams", "engine", tag(origin));
    assertThat(sum(registry, "streams.queue", "engine", tag(origin))).isEqualTo(1);
    assertThat(sum(registry, "streams.posted", "engine", tag(origin))).isEqualTo(1);
    assertThat(nanos("streams.queue", origin)).isPositive();
    await() // a count is raised before its sum
        .untilAsserted(() ->
            assertThat(nanos("streams.queue", origin) + nanos("streams.posted", origin))
                .isEqualTo(nanos("streams", origin)));
  }

  /** Over all outcomes. */
  private double nanos(String timer, TransferEngine engine) {
    double nanos = 0;
    for (Meter meter : registry.get(Meters.PREFIX + timer).tag("engine", tag(engine)).meters()) {
      nanos +=
          meter.match(
              _ -> 0.0,
              _ -> 0.0,
              one -> one.totalTime(TimeUnit.NANOSECONDS),
              _ -> 0.0,
              _ -> 0.0,
              _ -> 0.0,
              _ -> 0.0,
              one -> one.totalTime(TimeUnit.NANOSECONDS),
              _ -> 0.0);
    }
    return nanos;
  }

  @Test
  void aLostPeerIsCountedOnceAndWhatItCostByItsCause() {
    TransferEngine origin = open();
    TransferEngine target = open();
    engines.write(origin, target, 1);
    WriteImm write = engines.write(origin, target);
    close(target);
    until(1, registry, "peers.lost", "engine", tag(origin));
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> origin.submit(write).block(PATIENCE))
          .isInstanceOf(PeerUnreachableException.class);
    }
    until(3, registry, "streams", "outcome", "peer_lost");
    assertThat(sum(registry, "transfers", "outcome", "peer_lost")).isEqualTo(3);
    assertThat(sum(registry, "streams", "outcome", "done")).isEqualTo(1);
    assertThat(sum(registry, "streams.queue", "engine", tag(origin))).isEqualTo(4);
    assertThat(sum(registry, "streams.posted", "engine", tag(origin)))
        .as("nothing was posted of those that have failed")
        .isEqualTo(1);
    assertThat(sum(registry, "peers.lost", "engine", tag(origin))).isEqualTo(1);
    assertThat(sum(registry, "peers.unreachable", "engine", tag(origin))).isPositive();
    assertThat(sum(registry, "peers", "engine", tag(origin), "state", "lost")).isEqualTo(1);
    assertThat(sum(registry, "peer.up", "engine", tag(origin))).isZero();
  }

  @Test
  void whatFailsIsCountedByItsCause() {
    TransferEngine origin = open();
    TransferEngine target = open();
    WriteImm write = engines.write(origin, target);
    engines.busy = true;
    assertThatThrownBy(() -> origin.submit(write, Duration.ofMillis(20)).block(PATIENCE))
        .isInstanceOf(DeadlineExceededException.class);
    Flux<WriteImm> unending = Flux.concat(Flux.just(write, write), Flux.never());
    until(0, registry, "transfers.active");
    var cancelled = origin.submit(unending).subscribe();
    until(2, registry, "transfers.active");
    cancelled.dispose();
    until(1, registry, "streams", "outcome", "cancelled");
    engines.busy = false;
    MemoryRegion closed = engines.region(origin);
    RemoteRegion remote = origin.remote(engines.region(target).descriptor());
    WriteImm late = WriteImm.of(closed.whole(), remote.whole(), Imm.of(1));
    closed.close().block(PATIENCE);
    assertThatThrownBy(() -> origin.submit(late).block(PATIENCE))
        .isInstanceOf(TransferRejectedException.class);
    origin.submitEach(Flux.just(late, late)).then().block(PATIENCE);
    assertThatThrownBy(() ->
            origin
                .submit(Flux.concat(Flux.just(write), Flux.error(new IllegalStateException())))
                .then()
                .block(PATIENCE))
        .isInstanceOf(IllegalStateException.class);
    until(1, registry, "streams", "outcome", "upstream");
    assertThat(sum(registry, "streams", "outcome", "deadline")).isEqualTo(1);
    assertThat(sum(registry, "transfers", "outcome", "deadline")).isEqualTo(1);
    assertThat(sum(registry, "transfers", "outcome", "cancelled")).isEqualTo(2);
    assertThat(sum(registry, "streams", "outcome", "refused")).isEqualTo(1);
    assertThat(sum(registry, "transfers", "outcome", "apart")).isEqualTo(2);
    assertThat(sum(registry, "transfers.rejected")).isEqualTo(3);
  }

  @Test
  void closingRemovesTheMetersOfThatEngine() {
    TransferEngine origin = open();
    TransferEngine target = open();
    engines.write(origin, target, 2);
    until(1, registry, "peer.up", "engine", tag(origin));
    until(1, registry, "peer.up", "engine", tag(target));
    close(origin);
    await()
        .atMost(PATIENCE)
        .until(() ->
            registry.getMeters().stream()
                .noneMatch(each -> tag(origin).equals(each.getId().getTag("engine"))));
    assertThat(sum(registry, "nic.arrivals", "engine", tag(target))).isPositive();
    close(target);
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }

  @Test
  void thousandPeersMakeNoMoreMetersThanTheLimit() {
    TransferEngine engine = engines.open(EngineMeters.of(registry).maxPeers(5).build());
    List<Peer> peers =
        LongStream.rangeClosed(1, 1_000)
            .mapToObj(number ->
                engine.peer(
                    new PeerAddress(
                        "loopback",
                        new EngineId(number, number),
                        new HostPort("nowhere-" + number, 1))))
            .toList();
    Flux.fromIterable(peers)
        .flatMap(peer -> engine.send(peer, ByteBuffer.allocate(1)).onErrorComplete(), peers.size())
        .then()
        .block(PATIENCE);
    until(1_000, registry, "peers", "state", "lost");
    await()
        .atMost(PATIENCE)
        .until(() -> registry.find("reactive.transfer.peer.up").gauges().size() == 6);
    assertThat(registry.find("reactive.transfer.peer.writes").meters()).hasSize(6);
    assertThat(registry.find("reactive.transfer.peer.up").gauges())
        .hasSize(6)
        .extracting(each -> each.getId().getTag("peer"))
        .contains("other");
    assertThat(sum(registry, "peers.unreachable")).isGreaterThanOrEqualTo(1_000);
    assertThat(sum(registry, "peers.lost")).isZero();
    assertThat(peers).hasSize(1_000);
  }

  @Test
  void anEngineThatIsShownTwiceIsShownOnce() {
    EngineRecorder twice =
        EngineMeters.of(registry).build().andThen(EngineMeters.of(registry).build());
    TransferEngine origin = engines.open(twice);
    TransferEngine target = open();
    engines.write(origin, target, 4);
    until(1, registry, "streams", "engine", tag(origin));
    assertThat(sum(registry, "transfers", "engine", tag(origin))).isEqualTo(4);
    assertThat(sum(registry, "peers.found", "engine", tag(origin))).isEqualTo(1);
    close(origin);
    close(target);
    await().atMost(PATIENCE).until(() -> registry.getMeters().isEmpty());
  }
}
