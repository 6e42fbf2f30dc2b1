package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;

/** A cancel of serving that meets a request, which nobody's handler was given yet. */
@ParameterizedClass
@ValueSource(strings = "loopback")
class CancelOfServingTest extends HandOverFixture {

  private final AtomicReference<Disposable> serving = new AtomicReference<>();
  private final AtomicBoolean armed = new AtomicBoolean();
  private final AtomicInteger handled = new AtomicInteger();

  @AfterEach
  void resetHooks() {
    Hooks.resetOnEachOperator();
  }

  /** Whether the answer to a request is being put together. */
  private static boolean isBetween() {
    return StackWalker.getInstance()
        .walk(frames ->
            frames.anyMatch(frame ->
                frame.getClassName().equals(KvPrefill.class.getName())
                    && frame.getMethodName().equals("answered")));
  }

  @Test
  void refusesTheRequest() {
    Hooks.onEachOperator(operator -> {
      if (armed.get() && isBetween() && armed.compareAndSet(true, false)) {
        serving.get().dispose();
      }
      return operator;
    });
    serving.set(
        prefill
            .serve(
                4,
                request -> {
                  handled.incrementAndGet();
                  return Flux.never();
                })
            .subscribe());
    armed.set(true);
    HandOverException refused = failureOf(decode.receive(order(), KEPT).toFuture());
    assertThat(refused.reason()).isEqualTo(HandOverException.Reason.REFUSED);
    assertThat(refused).hasMessageContaining("prefill serves no more");
    assertThat(handled).hasValue(0);
    prefillNode.cache().dispose();
    prefillNode.cache().closed().block(PATIENCE);
    requireSettled();
  }
}
