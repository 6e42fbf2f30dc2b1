package io.reactivetransfer.micrometer;

import static io.reactivetransfer.micrometer.MeteredEngines.LENGTH;
import static io.reactivetransfer.micrometer.MeteredEngines.PATIENCE;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * What Reactor's automatic context propagation has in the {@link ThreadLocal}s of operators behind
 * each publisher of an engine, whose signals come on threads that know nothing of the subscriber.
 */
class SignalThreadLocalsTest {

  private static final String DOWNSTREAM = "downstream";
  private static final Duration SHORT = Duration.ofMillis(1);

  @RegisterExtension final MeteredEngines engines = new MeteredEngines();
  @RegisterExtension final Propagation propagation = new Propagation();

  /** Two engines, and what they need for their publishers to signal. */
  private static final class Pair {
    final TransferEngine origin;
    final TransferEngine target;
    final WriteImm write;
    final MemoryRegion region;
    final MemorySegment word = Arena.ofAuto().allocate(Long.BYTES, Long.BYTES);

    Pair(MeteredEngines engines) {
      origin = engines.open(EngineRecorder.NONE);
      target = engines.open(EngineRecorder.NONE);
      write = engines.write(origin, target);
      region = engines.region(target);
    }

    ImmCounter counter() {
      return target.counter(Imm.of(1));
    }

    Peer peer() {
      return origin.peer(target.address());
    }

    Peer back() {
      return target.peer(origin.address());
    }

    void written() {
      origin.submit(write).block(PATIENCE);
    }

    void sent() {
      origin.send(peer(), ByteBuffer.allocate(1)).block(PATIENCE);
    }

    void raised() {
      ValueLayout.JAVA_LONG.varHandle().setRelease(word, 0L, 1L);
    }

    void entered() {
      target.barrier("b", PeerGroup.of(back())).block(PATIENCE);
    }

    void nothing() {}
  }

  private interface Cause {
    void of(Pair pair);
  }

  /** Each with what makes it signal, unless subscribing does. */
  private enum Published {
    SUBMIT(pair -> pair.origin.submit(pair.write)),
    SUBMIT_WITHIN(pair -> pair.origin.submit(pair.write, PATIENCE)),
    NEXT(pair -> pair.counter().next(1), Pair::written),
    NEXT_BOUND(pair -> pair.counter().boundTo(pair.back()).next(1), Pair::written),
    NEXT_WITHIN(pair -> pair.counter().within(PATIENCE).next(1), Pair::written),
    NEXT_RAISING(pair -> pair.counter().raising(pair.word).next(1), Pair::written),
    NEXT_TOO_LATE(pair -> pair.counter().within(SHORT).next(1)),
    EVERY(pair -> pair.counter().every(1).take(1), Pair::written),
    EVERY_BOUND(pair -> pair.counter().boundTo(pair.back()).every(1).take(1), Pair::written),
    EVERY_WITHIN(pair -> pair.counter().within(PATIENCE).every(1).take(1), Pair::written),
    EVERY_TOO_LATE(pair -> pair.counter().within(SHORT).every(1)),
    DISCARD(pair -> pair.counter().discard()),
    NEXT_OF_A_LEASE(pair -> pair.target.lease().counter().within(SHORT).next(1)),
    MESSAGES(pair -> pair.target.messages().take(1), Pair::sent),
    SEND(pair -> pair.origin.send(pair.peer(), ByteBuffer.allocate(1))),
    BARRIER(pair -> pair.origin.barrier("b", PeerGroup.of(pair.peer())), Pair::entered),
    WATCH(pair -> pair.target.watch(pair.word).take(1), Pair::raised),
    STATE(pair -> pair.peer().state().takeUntil(state -> state instanceof PeerState.Alive)),
    FIND(pair -> pair.origin.peer(pair.target.address().control())),
    REGISTER(pair ->
        pair.origin.register(new HostMemory(Arena.ofAuto().allocate(LENGTH)), Access.REMOTE_WRITE)),
    QUIESCED(pair -> pair.region.quiesced()),
    REVOKE(pair -> pair.region.revoke()),
    CLOSE_OF_A_REGION(pair -> pair.region.close()),
    ON_CLOSE(pair -> pair.target.onClose(), pair -> pair.target.close().block(PATIENCE)),
    CLOSE(pair -> pair.target.close()),
    SCHEDULER(pair -> Mono.empty().subscribeOn(pair.target.scheduler())),
    SCHEDULER_WORKER(pair -> Flux.just(1).hide().publishOn(pair.target.scheduler())),
    SCHEDULER_TIMER(pair -> Mono.delay(SHORT, pair.target.scheduler()));

    private final Function<Pair, Publisher<?>> made;
    private final Cause cause;

    Published(Function<Pair, Publisher<?>> made) {
      this(made, Pair::nothing);
    }

    Published(Function<Pair, Publisher<?>> made, Cause cause) {
      this.made = made;
      this.cause = cause;
    }
  }

  @ParameterizedTest
  @EnumSource
  void whatIsSetAtTheSubscriberIsSeenInEverySignal(Published published) {
    Pair pair = new Pair(engines);
    propagation.begin();
    CompletableFuture<?> end =
        propagation
            .looking(DOWNSTREAM, Flux.from(published.made.apply(pair)))
            .onErrorComplete()
            .then()
            .contextCapture()
            .toFuture();
    published.cause.of(pair);
    Mono.fromFuture(end).block(PATIENCE);
    propagation.requireSeenElsewhere(DOWNSTREAM);
  }
}
