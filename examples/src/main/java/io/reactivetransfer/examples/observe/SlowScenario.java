package io.reactivetransfer.examples.observe;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;

/**
 * One node writes to two others, and one of these takes less than it is given: what it does with
 * each arrival, on the thread of its NIC, takes too long.
 */
final class SlowScenario implements Scenario {

  private static final int BYTES = 256 * 1024;
  private static final int FIRST_ARRIVALS = 20;
  private static final Duration INTERVAL = Duration.ofMillis(10);
  private static final Duration HOLD_UP = Duration.ofMillis(50);
  private static final byte[] COMPUTED = new byte[4_096];
  private static final Imm IMM = Imm.of(1);

  private final Opened opened;
  private final Arena arena;
  private final ObservedEngine prefill;
  private final ObservedEngine one;
  private final ObservedEngine two;
  private final Disposable.Composite running = Disposables.composite();
  private final FirstError errors = new FirstError();
  private final CountDownLatch first = new CountDownLatch(2 * FIRST_ARRIVALS);
  private final CRC32 checksum = new CRC32(); // of the thread of the one NIC that is held up
  private volatile boolean isHeldUp;

  private SlowScenario(Names names, Opened opened) {
    this.opened = opened;
    arena = opened.add(Arena.ofShared(), Arena::close);
    two = opened.add(ObservedEngine.open("decode-2", names, onNicThread()), ObservedEngine::close);
    one = opened.add(ObservedEngine.open("decode-1", names, onNicThread()), ObservedEngine::close);
    prefill =
        opened.add(
            ObservedEngine.open("prefill", names, EngineOptions.builder()), ObservedEngine::close);
    opened.add(running, Disposable::dispose);
  }

  private static EngineOptions.Builder onNicThread() {
    return EngineOptions.builder().signalScheduler(Schedulers.immediate());
  }

  /** With engines that know each other. */
  static SlowScenario open(Names names) throws InterruptedException {
    Opened opened = new Opened();
    try {
      SlowScenario slow = new SlowScenario(names, opened);
      slow.begin();
      slow.awaitFirst();
      return slow;
    } catch (InterruptedException | RuntimeException e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  private void awaitFirst() throws InterruptedException {
    boolean arrived = first.await(ObservedEngine.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    check();
    if (!arrived) {
      throw new IllegalStateException("the first writes have not arrived");
    }
  }

  @Override
  public List<Column> columns() {
    return List.of(
        new Column(prefill, "peer.transfers.waiting", "peer", "decode-1"),
        new Column(prefill, "peer.transfers.waiting", "peer", "decode-2"),
        new Column(prefill, "peer.queue", "peer", "decode-1"),
        new Column(prefill, "peer.queue", "peer", "decode-2"),
        new Column(prefill, "peer.refusals", "peer", "decode-1"),
        new Column(prefill, "peer.refusals", "peer", "decode-2"),
        new Column(one, "stalls"),
        new Column(two, "stalls"));
  }

  @Override
  public List<Act> acts() {
    return List.of(
        new Act("healthy", "prefill writes 100 times 256 KiB a second to each", () -> {}),
        new Act(
            "slow",
            "decode-2 computes 50 ms on the thread of its NIC for each arrival",
            () -> isHeldUp = true),
        new Act("healed", "it does so no more", () -> isHeldUp = false));
  }

  private void begin() {
    for (ObservedEngine decode : List.of(one, two)) {
      MemoryRegion source = ObservedEngine.await(prefill.engine().register(arena.allocate(BYTES)));
      MemoryRegion pages = ObservedEngine.await(decode.engine().register(arena.allocate(BYTES)));
      RemoteRegion remote = prefill.engine().remote(pages.descriptor());
      running.add(decode.engine().counter(IMM).every(1).subscribe(arrival -> use(decode), errors));
      Flux<WriteImm> writes =
          Flux.interval(INTERVAL)
              .onBackpressureDrop()
              .map(tick -> WriteImm.of(source.whole(), remote.whole(), IMM));
      running.add(prefill.engine().submit(writes).subscribe(_ -> {}, errors));
    }
  }

  private void use(ObservedEngine decode) {
    first.countDown();
    if (isHeldUp && decode == two) {
      long end = System.nanoTime() + HOLD_UP.toNanos();
      while (System.nanoTime() < end) {
        checksum.update(COMPUTED);
      }
    }
  }

  @Override
  public void check() {
    errors.check();
  }

  @Override
  public void close() {
    isHeldUp = false;
    opened.close();
  }
}
