package io.reactivetransfer.examples.observe;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * One node orders of another, by a message, what it then claims, and either application stops for a
 * while to do its part. Nothing fails.
 */
final class StuckScenario implements Scenario {

  private static final int BYTES = 4_096;
  private static final int FIRST_ORDERS = 5;

  /** Fewer than the messages that may wait. */
  private static final int MAX_ORDERS = 512;

  private static final Duration INTERVAL = Duration.ofMillis(50);

  private final Opened opened;
  private final ObservedEngine prefill;
  private final ObservedEngine decode;
  private final Peer asked;
  private final MemoryRegion source;
  private final RemoteRegion pages;
  private final Gate taking = new Gate();
  private final Gate claiming = new Gate();
  private final AtomicInteger numbers = new AtomicInteger();
  private final CountDownLatch first = new CountDownLatch(FIRST_ORDERS);
  private final Disposable.Composite running = Disposables.composite();
  private final FirstError errors = new FirstError();

  private StuckScenario(Names names, Opened opened) {
    this.opened = opened;
    Arena arena = opened.add(Arena.ofShared(), Arena::close);
    prefill =
        opened.add(
            ObservedEngine.open("prefill", names, EngineOptions.builder()), ObservedEngine::close);
    decode =
        opened.add(
            ObservedEngine.open("decode", names, EngineOptions.builder()), ObservedEngine::close);
    opened.add(running, Disposable::dispose);
    source = ObservedEngine.await(prefill.engine().register(arena.allocate(BYTES)));
    MemoryRegion region = ObservedEngine.await(decode.engine().register(arena.allocate(BYTES)));
    pages = prefill.engine().remote(region.descriptor());
    asked = decode.engine().peer(prefill.engine().address());
  }

  /** With engines that know each other. */
  static StuckScenario open(Names names) throws InterruptedException {
    Opened opened = new Opened();
    try {
      StuckScenario stuck = new StuckScenario(names, opened);
      stuck.begin();
      stuck.awaitFirst();
      return stuck;
    } catch (InterruptedException | RuntimeException e) {
      opened.closeAfter(e);
      throw e;
    }
  }

  private void awaitFirst() throws InterruptedException {
    boolean arrived = first.await(ObservedEngine.PATIENCE.toSeconds(), TimeUnit.SECONDS);
    check();
    if (!arrived) {
      throw new IllegalStateException("the first orders have not arrived");
    }
  }

  private void begin() {
    running.add(
        prefill
            .engine()
            .messages()
            .concatMap(order -> taking.pass(serve(order)), 1)
            .subscribe(_ -> {}, errors));
    running.add(
        Flux.interval(INTERVAL)
            .onBackpressureDrop()
            .flatMap(tick -> order(numbers.incrementAndGet()), MAX_ORDERS)
            .subscribe(_ -> {}, errors));
  }

  /** What was ordered is written under the immediate that the message says. */
  private Mono<WriteImm> serve(Message order) {
    Imm imm = Imm.of(order.bytes().getInt());
    return prefill.engine().submit(WriteImm.of(source.whole(), pages.whole(), imm));
  }

  private Mono<Void> order(int number) {
    ByteBuffer message = ByteBuffer.allocate(Integer.BYTES).putInt(number).flip();
    Mono<Void> arrived = decode.engine().counter(Imm.of(number)).next(1);
    return Mono.when(claiming.pass(arrived), decode.engine().send(asked, message))
        .doOnSuccess(done -> first.countDown());
  }

  @Override
  public List<Column> columns() {
    return List.of(
        new Column(decode, "claims.pending"),
        new Column(decode, "nic.arrivals"),
        new Column(decode, "peer.messages.waiting", "peer", "prefill"),
        new Column(decode, "imms.unclaimed"),
        new Column(prefill, "nic.writes"),
        new Column(prefill, "transfers.active"));
  }

  @Override
  public List<Act> acts() {
    return List.of(
        new Act("healthy", "decode orders 20 writes a second, and claims each of them", () -> {}),
        new Act("stuck", "prefill takes no more messages", taking::shut),
        new Act("healed", "it takes them again", taking::open),
        new Act("unclaimed", "decode orders, and claims nothing", claiming::shut),
        new Act("claimed", "it claims all that it has ordered", claiming::open));
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
