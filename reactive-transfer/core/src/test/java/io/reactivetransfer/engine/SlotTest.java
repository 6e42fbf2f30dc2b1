package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.Write;
import io.reactivetransfer.engine.base.Probe;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** Whatever is thrown while someone subscribes, he is told, and his place is free again. */
class SlotTest {

  private static final int SLOTS = 3;

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  enum Thrown {
    EXCEPTION(new IllegalStateException("thrown")),
    LINKAGE(new LinkageError("thrown")),
    STACK(new StackOverflowError("thrown")),
    MEMORY(new OutOfMemoryError("thrown"));

    final Throwable failure;

    Thrown(Throwable failure) {
      this.failure = failure;
    }
  }

  @SuppressWarnings("unchecked") // whatever it is, undeclared
  private static <T, E extends Throwable> T raise(Throwable failure) throws E {
    throw (E) failure;
  }

  @BeforeEach
  void open() {
    hand.open(1, options -> options.maxSubmissions(SLOTS));
  }

  /** Several times, so that not one place is lost. */
  private void assertTold(Thrown thrown, Function<TransferEngine, Publisher<?>> use) {
    for (int i = 0; i < 2 * SLOTS; i++) {
      Probe<?> probe = hand.probe(use.apply(hand.engine()));
      hand.turn();
      assertThat(probe.error()).isSameAs(thrown.failure);
    }
    assertAllFree();
  }

  private void assertAllFree() {
    Probe<?>[] claims = new Probe<?>[SLOTS];
    for (int i = 0; i < SLOTS; i++) {
      claims[i] = hand.probe(hand.engine().counter(Imm.of(1)).next(1));
    }
    hand.turn();
    for (Probe<?> claim : claims) {
      claim.assertOpen();
      claim.cancel();
    }
    hand.turn();
  }

  @ParameterizedTest
  @EnumSource
  void upstreamsSubscribe(Thrown thrown) {
    Publisher<Write> throwing = subscriber -> raise(thrown.failure);
    assertTold(thrown, engine -> engine.submit(throwing));
  }

  @ParameterizedTest
  @EnumSource
  void upstreamsSubscribeAfterItsSubscription(Thrown thrown) {
    Publisher<Write> throwing =
        subscriber -> {
          new Upstream<Write>().subscribe(subscriber);
          raise(thrown.failure);
        };
    assertTold(thrown, engine -> engine.submit(throwing));
  }

  @ParameterizedTest
  @EnumSource
  void upstreamsRequest(Thrown thrown) {
    assertTold(
        thrown,
        engine -> engine.submit(new Upstream<Write>().onRequest(n -> raise(thrown.failure))));
  }

  @ParameterizedTest
  @EnumSource
  void aMappingUpstream(Thrown thrown) {
    Flux<Write> mapped = Flux.just(1).map(i -> raise(thrown.failure));
    assertTold(thrown, engine -> engine.submit(mapped));
  }

  private interface Use {
    Publisher<?> of(TransferEngine engine);
  }

  enum Subscribed {
    SUBMIT(engine -> engine.submit(Flux.<Write>never())),
    NEXT(engine -> engine.counter(Imm.of(9)).next(1)),
    EVERY(engine -> engine.counter(Imm.of(9)).every(1)),
    MESSAGES(TransferEngine::messages),
    WATCH(engine -> engine.watch(Arena.ofAuto().allocate(8, 8)));

    private final Use use;

    Subscribed(Use use) {
      this.use = use;
    }
  }

  @ParameterizedTest
  @EnumSource
  void theSubscribersOwnOnSubscribe(Subscribed subscribed) {
    for (int i = 0; i < 2 * SLOTS; i++) {
      Probe<Object> probe = new Probe<>(0);
      probe.onSubscription(p -> raise(Thrown.LINKAGE.failure));
      @SuppressWarnings("unchecked")
      Publisher<Object> publisher = (Publisher<Object>) subscribed.use.of(hand.engine());
      hand.probe(publisher, probe);
      hand.turn();
      assertThat(probe.error()).isSameAs(Thrown.LINKAGE.failure);
    }
    assertAllFree();
  }

  @Test
  void aWordThatWasFreed() {
    Arena arena = Arena.ofShared();
    MemorySegment word = arena.allocate(8, 8);
    var changes = hand.engine().watch(word);
    arena.close();
    for (int i = 0; i < 2 * SLOTS; i++) {
      assertThat(hand.probe(changes).error())
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("freed");
    }
    assertAllFree();
  }
}
