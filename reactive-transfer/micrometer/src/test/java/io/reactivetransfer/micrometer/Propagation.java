package io.reactivetransfer.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.context.ContextRegistry;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;

/**
 * Reactor's automatic context propagation of one {@link ThreadLocal}, such as that of the current
 * span, and what an application's code finds in it.
 */
final class Propagation implements BeforeEachCallback, AfterEachCallback {

  private static final String KEY = "who";
  private static final String ME = "me";
  private static final ThreadLocal<String> WHO = new ThreadLocal<>();

  /** What some code has found, and whether that was on another thread than the subscriber's. */
  private record Sight(String where, String who, boolean isElsewhere) {}

  private final List<Sight> sights = new CopyOnWriteArrayList<>();
  private volatile Thread subscriber = Thread.currentThread();

  @Override
  public void beforeEach(ExtensionContext context) {
    ContextRegistry.getInstance().registerThreadLocalAccessor(KEY, WHO);
    Hooks.enableAutomaticContextPropagation();
  }

  @Override
  public void afterEach(ExtensionContext context) {
    WHO.remove();
    Hooks.disableAutomaticContextPropagation();
    ContextRegistry.getInstance().removeThreadLocalAccessor(KEY);
  }

  /** From here on this thread is that of a subscriber, who has it set. */
  void begin() {
    subscriber = Thread.currentThread();
    WHO.set(ME);
  }

  /** Code at this place looks. */
  void look(String where) {
    sights.add(
        new Sight(where, String.valueOf(WHO.get()), !Thread.currentThread().equals(subscriber)));
  }

  /** The same, of operators who look at each signal. */
  <T> Flux<T> looking(String where, Flux<T> signals) {
    return signals.doOnEach(_ -> look(where));
  }

  /** There, and wherever else was looked, it was what the subscriber has set. */
  void requireSeen(String where) {
    assertThat(sights).extracting(Sight::where).contains(where);
    assertThat(sights).allSatisfy(sight -> assertThat(sight.who()).isEqualTo(ME));
  }

  /** The same, also on a thread that is not the subscriber's. */
  void requireSeenElsewhere(String where) {
    requireSeen(where);
    assertThat(sights).anyMatch(sight -> sight.where().equals(where) && sight.isElsewhere());
  }

  /** How often it was looked there. */
  long count(String where) {
    return sights.stream().filter(sight -> sight.where().equals(where)).count();
  }
}
