package io.reactivetransfer.tools.soak;

import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** An engine with one defect, which shows now and then. */
final class Saboteur {

  /** What is wrong with it. */
  enum Defect {
    /** A byte of some registered memory is another one. */
    WRONG_BYTE,
    /** A transfer is done, and nobody is told. */
    LOST_ANSWER,
    /** An arrival is never counted. */
    LOST_ARRIVAL,
    /** A message is taken over, and does not come. */
    LOST_MESSAGE,
    /** A claim completes before anything has come. */
    EARLY_COUNT,
    /** A barrier lets one through that is alone. */
    OPEN_BARRIER,
    /** What is done is reported twice. */
    DOUBLE_ANSWER
  }

  private static final int EVERY = 20;

  /** Barriers are few. */
  private static final int EVERY_BARRIER = 4;

  private final TransferEngine engine;
  private final Defect defect;
  private final AtomicLong calls = new AtomicLong();
  private final List<MemorySegment> memories = new CopyOnWriteArrayList<>();

  private Saboteur(TransferEngine engine, Defect defect) {
    this.engine = engine;
    this.defect = defect;
  }

  static TransferEngine of(TransferEngine engine, Defect defect) {
    Saboteur saboteur = new Saboteur(engine, defect);
    return (TransferEngine)
        Proxy.newProxyInstance(
            TransferEngine.class.getClassLoader(),
            new Class<?>[] {TransferEngine.class},
            (proxy, method, arguments) -> {
              try {
                Object result = method.invoke(engine, arguments);
                return saboteur.spoil(method.getName(), arguments, result);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  private boolean isDue() {
    return calls.incrementAndGet() % (defect == Defect.OPEN_BARRIER ? EVERY_BARRIER : EVERY) == 0;
  }

  private Object spoil(String method, Object @Nullable [] arguments, Object result) {
    return switch (method) {
      case "register" -> {
        memories.add((MemorySegment) arguments[0]);
        yield result;
      }
      case "counter" -> counter((ImmCounter) result);
      case "submit", "submitEach" -> answers(result);
      case "send" -> defect == Defect.LOST_MESSAGE && isDue() ? Mono.empty() : result;
      case "barrier" -> defect == Defect.OPEN_BARRIER && isDue() ? Mono.empty() : result;
      default -> result;
    };
  }

  private Object answers(Object result) {
    boolean lost = defect == Defect.LOST_ANSWER;
    boolean twice = defect == Defect.DOUBLE_ANSWER;
    if (!(lost || twice) || !isDue()) {
      return result;
    }
    return result instanceof Mono<?> mono
        ? lost ? mono.then(Mono.never()) : mono
        : lost
            ? ((Flux<?>) result).concatWith(Mono.never())
            : ((Flux<?>) result).flatMap(x -> Flux.just(x, x));
  }

  private ImmCounter counter(ImmCounter counter) {
    return (ImmCounter)
        Proxy.newProxyInstance(
            ImmCounter.class.getClassLoader(),
            new Class<?>[] {ImmCounter.class},
            (proxy, method, arguments) -> {
              Object result = method.invoke(counter, arguments);
              return switch (method.getName()) {
                case "boundTo" -> counter((ImmCounter) result);
                case "next" -> claim((Mono<?>) result);
                default -> result;
              };
            });
  }

  private Mono<?> claim(Mono<?> claim) {
    return switch (defect) {
      case WRONG_BYTE -> isDue() ? claim.doOnSubscribe(any -> flip()) : claim;
      case LOST_ARRIVAL -> isDue() ? claim.then(Mono.never()) : claim;
      case EARLY_COUNT -> isDue() ? Mono.empty() : claim;
      default -> claim;
    };
  }

  private void flip() {
    for (MemorySegment bytes : memories) {
      bytes.set(ValueLayout.JAVA_BYTE, 0, (byte) (1 + bytes.get(ValueLayout.JAVA_BYTE, 0)));
    }
  }
}
