package io.reactivetransfer.engine.target;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Imm;
import io.reactivetransfer.engine.TestParts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;

/** Whoever has cancelled, and does something behind that, finds nothing of the claim. */
class CancelledClaimTest {

  private final TestParts parts = new TestParts();
  private final ImmTable table = parts.imms(2);

  CancelledClaimTest() {
    parts.commands.begin(() -> parts.commands.run(10)); // at once, as by a thread that is faster
    parts.commands.owner().enter();
  }

  @Test
  void aClaimThatIsAboutToBeMadeIsNotMade() {
    MemorySegment word = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    BaseSubscriber<Long> subscriber =
        new BaseSubscriber<>() {
          @Override
          protected void hookOnSubscribe(Subscription subscription) {
            subscription.request(1);
          }
        };
    parts
        .claims(table)
        .counter(Imm.of(7), () -> false)
        .raising(word)
        .claims(
            Flux.just(1L),
            n -> {
              subscriber.cancel();
              return 0;
            })
        .subscribe(subscriber);
    assertThat(subscriber.isDisposed()).isTrue();
    assertThat(word.get(ValueLayout.JAVA_LONG, 0)).isZero();
  }
}
