package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.base.WireImm;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.fuzz.CapturedLog;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.function.BiFunction;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import reactor.core.publisher.Flux;

/** Reactor signals nothing more to a plain subscriber that throws in onNext: the log says so. */
class PlainSubscriberTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final MemorySegment word = Arena.ofAuto().allocate(8, 8);
  private MemoryRegion source;

  enum Stream {
    SUBMIT((test, engine) -> engine.submit(test.write())),
    SUBMIT_MANY((test, engine) -> engine.submit(Flux.just(test.write(), test.write()))),
    REGISTER((test, engine) -> engine.register(new HostMemory(test.word), Access.LOCAL)),
    EVERY((test, engine) -> engine.counter(Imm.of(5)).every(1)),
    CLAIMS((test, engine) -> engine.counter(Imm.of(5)).claims(Flux.just(1, 2), each -> 1)),
    WATCH((test, engine) -> engine.watch(test.word)),
    MESSAGES((test, engine) -> engine.messages()),
    STATE((test, engine) -> test.hand.peer(1).state());

    private final BiFunction<PlainSubscriberTest, TransferEngine, Publisher<?>> of;

    Stream(BiFunction<PlainSubscriberTest, TransferEngine, Publisher<?>> of) {
      this.of = of;
    }
  }

  private Write write() {
    return Write.of(source.slice(0, 10), hand.remote(1).slice(0, 10));
  }

  @ParameterizedTest
  @EnumSource
  void whatItThrowsIsLoggedOnce(Stream stream) {
    hand.open(2, options -> options.window(8));
    source = hand.region();
    hand.turn();
    try (CapturedLog log = new CapturedLog()) {
      stream.of.apply(this, hand.engine()).subscribe(new Throwing());
      hand.turn();
      hand.nic(0).arrive(WireImm.encode(5, 1));
      hand.receive(1, hand.hello(1));
      hand.receive(1, ControlFrame.message(0, ByteBuffer.allocate(4)));
      word.set(ValueLayout.JAVA_LONG, 0, 1);
      hand.settle();
      assertThat(log.lines("a subscriber has thrown in onNext")).hasSize(1);
      assertThat(log.text()).contains("WARN", "thrown by a test");
    }
    hand.close().assertComplete();
  }

  private static final class Throwing implements Subscriber<Object> {

    @Override
    public void onSubscribe(Subscription subscription) {
      subscription.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Object element) {
      throw new IllegalStateException("thrown by a test");
    }

    @Override
    public void onError(Throwable reason) {}

    @Override
    public void onComplete() {}
  }
}
