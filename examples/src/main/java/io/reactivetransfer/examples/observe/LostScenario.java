package io.reactivetransfer.examples.observe;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Write;
import io.reactivetransfer.examples.worker.AskedWorker;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One node writes to another, a process of its own, which is killed; it goes on trying until it is
 * told of one that takes its place.
 */
final class LostScenario implements Scenario {

  private static final int WRITES = 5;
  private static final Duration INTERVAL = Duration.ofMillis(50);

  private final Opened opened;
  private final Names names;
  private final ObservedEngine prefill;
  private final MemoryRegion source;
  private final List<AskedWorker> processes = new ArrayList<>();
  private final Disposable.Swap running = Disposables.swap();
  private final FirstError errors = new FirstError();

  private LostScenario(Names names, Opened opened) {
    this.names = names;
    this.opened = opened;
    Arena arena = opened.add(Arena.ofShared(), Arena::close);
    prefill =
        opened.add(
            ObservedEngine.open("prefill", names, EngineOptions.builder()), ObservedEngine::close);
    source = ObservedEngine.await(prefill.engine().register(arena.allocate(TargetWorker.BYTES)));
  }

  /** Nothing is written yet. */
  static LostScenario open(Names names) throws IOException, InterruptedException {
    Opened opened = new Opened();
    try {
      LostScenario lost = new LostScenario(names, opened);
      lost.start("decode-1");
      lost.start("decode-2");
      for (AskedWorker each : lost.processes) {
        each.awaitAnswer(); // it is ready
      }
      opened.add(lost.running, Disposable::dispose);
      return lost;
    } catch (IOException | InterruptedException | RuntimeException e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  private void start(String name) throws IOException {
    AskedWorker process =
        AskedWorker.start(
            name, TargetWorker.NATIVE_BYTES, List.of("observe", TargetWorker.OPTION), null);
    processes.add(opened.add(process, AskedWorker::close));
  }

  /** From now on all writes go there. */
  private void writeTo(int process, String name) throws IOException, InterruptedException {
    byte[] bytes = HexFormat.of().parseHex(processes.get(process).answer(TargetWorker.DESCRIPTOR));
    RemoteRegion pages = prefill.engine().remote(RegionDescriptor.fromBytes(bytes));
    names.put(pages.peer().id(), pages.peer().address().control(), name);
    running.update(
        Flux.interval(INTERVAL)
            .onBackpressureDrop()
            .concatMap(_ -> write(pages), 1)
            .subscribe(_ -> {}, errors));
  }

  /** A stream of a few, which may fail: the next tick tries again. */
  private Mono<Void> write(RemoteRegion pages) {
    Flux<Write> writes = Flux.range(0, WRITES).map(_ -> Write.of(source.whole(), pages.whole()));
    return prefill.engine().submit(writes).then().onErrorComplete();
  }

  @Override
  public List<Column> columns() {
    return List.of(
        new Column(prefill, "peer.up", "peer", "decode-1"),
        new Column(prefill, "peer.up", "peer", "decode-2"),
        new Column(prefill, "peers.lost"),
        new Column(prefill, "peers.unreachable"),
        new Column(prefill, "transfers", "outcome", "done"),
        new Column(prefill, "transfers", "outcome", "peer_lost"),
        new Column(prefill, "nic.writes.failed"),
        new Column(prefill, "nic.up"));
  }

  @Override
  public List<Act> acts() {
    return List.of(
        new Act(
            "healthy",
            "prefill writes to decode-1, 20 streams of 5 writes a second",
            () -> writeTo(0, "decode-1")),
        new Act("lost", "the process decode-1 is killed", () -> processes.getFirst().close()),
        new Act("replaced", "decode-2 takes its place", () -> writeTo(1, "decode-2")));
  }

  @Override
  public void check() {
    errors.check();
  }

  @Override
  public void close() {
    opened.close();
  }
}
