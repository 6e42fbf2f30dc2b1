package io.reactivetransfer.tck;

import io.reactivetransfer.Change;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.Transfer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.opentest4j.TestAbortedException;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.SkipException;
import org.testng.annotations.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/**
 * Chapter 18: every publisher keeps the rules of Reactive Streams. Runs the verification that
 * Reactive Streams itself provides, each of its tests on engines of its own.
 */
@Tag(ReactiveStreamsRules.TAG)
abstract class ReactiveStreamsRules extends RuleGroup {

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  /** What it takes to leave this chapter, which is by far the longest, out of a run. */
  static final String TAG = "reactive-streams";

  /**
   * It asks the collector once, and gives it half a second: on a busy machine a reference may be
   * left by then that is gone a moment later. Who keeps it keeps it each time.
   */
  private static final String ONCE_COLLECTED = "required_spec313_cancel";

  ReactiveStreamsRules(TransferConformance kit) {
    super(kit);
  }

  @TestFactory
  final Stream<DynamicTest> r18_1_submitStream() {
    return verify(
        PublisherCase.<Transfer>many(
                (stage, elements) -> {
                  Duo duo = stage.duo(); // one verification makes a hundred
                  Flux<Transfer> one = Flux.just(duo.write(0, 16));
                  return duo.origin()
                      .submit(elements == 0 ? Flux.empty() : one.repeat(elements - 1));
                })
            .failing(stage -> closed(stage).origin().submit(Flux.empty())));
  }

  @TestFactory
  final Stream<DynamicTest> r18_2_submitOne() {
    return verify(
        PublisherCase.<Transfer>one(
                stage -> {
                  Duo duo = Duo.open(stage, 1);
                  return duo.origin().submit(duo.write(0, 16));
                })
            .failing(stage -> {
              Duo duo = Duo.open(stage, 1);
              Transfer write = duo.write(0, 16);
              Mono<Transfer> late = duo.origin().submit(write);
              stage.complete(duo.origin().close());
              return late;
            }));
  }

  @TestFactory
  final Stream<DynamicTest> r18_3_counterNext() {
    return verify(
        PublisherCase.<Void>none(
                stage -> {
                  Duo duo = Duo.open(stage, 1);
                  Imm imm = arrivals(stage, duo);
                  return duo.target().counter(imm).next(1);
                })
            .failing(stage -> closed(stage).origin().counter(Imm.of(1)).next(1)));
  }

  @TestFactory
  final Stream<DynamicTest> r18_4_counterEvery() {
    return verify(
        PublisherCase.<Long>endless(
                stage -> {
                  Duo duo = Duo.open(stage, 1);
                  return duo.target().counter(arrivals(stage, duo)).every(1);
                })
            .failing(stage -> closed(stage).origin().counter(Imm.of(1)).every(1)));
  }

  @TestFactory
  final Stream<DynamicTest> r18_5_counterDiscard() {
    return verify(
        PublisherCase.one(stage -> {
          Duo duo = Duo.open(stage, 1);
          return duo.target().counter(arrivals(stage, duo)).discard();
        }));
  }

  @TestFactory
  final Stream<DynamicTest> r18_6_messages() {
    return verify(
        PublisherCase.endless(stage -> {
          Duo duo = Duo.open(stage, 1);
          for (int i = 0; i < PublisherCase.SUPPLY; i++) {
            stage.probe("send", duo.origin().send(duo.peer(), ByteBuffer.allocate(8)));
          }
          return duo.target().messages();
        }));
  }

  @TestFactory
  final Stream<DynamicTest> r18_7_send() {
    return verify(
        PublisherCase.<Void>none(
                stage -> {
                  Duo duo = Duo.open(stage, 1);
                  stage.probe("messages", duo.target().messages());
                  return duo.origin().send(duo.peer(), ByteBuffer.allocate(8));
                })
            .failing(stage -> {
              Duo duo = closed(stage);
              return duo.origin().send(duo.peer(), ByteBuffer.allocate(8));
            }));
  }

  @TestFactory
  final Stream<DynamicTest> r18_8_register() {
    return verify(
        PublisherCase.one(stage -> stage.open(1).register(stage.memory(100)))
            .failing(stage -> closed(stage).origin().register(stage.memory(100))));
  }

  @TestFactory
  final Stream<DynamicTest> r18_9_quiesced() {
    return verify(
        PublisherCase.<Void>none(stage -> stage.plot(stage.open(1), 100).region().quiesced()));
  }

  @TestFactory
  final Stream<DynamicTest> r18_10_revoke() {
    return verify(
        PublisherCase.<Void>none(stage -> stage.plot(stage.open(1), 100).region().revoke()));
  }

  @TestFactory
  final Stream<DynamicTest> r18_11_closeRegion() {
    return verify(
        PublisherCase.<Void>none(stage -> stage.plot(stage.open(1), 100).region().close()));
  }

  @TestFactory
  final Stream<DynamicTest> r18_12_closeEngine() {
    return verify(PublisherCase.<Void>none(stage -> stage.open(1).close()));
  }

  @TestFactory
  final Stream<DynamicTest> r18_13_submitEach() {
    return verify(
        PublisherCase.<Outcome<Transfer>>many(
                (stage, elements) -> {
                  Duo duo = stage.duo(); // one verification makes a hundred
                  Flux<Transfer> one = Flux.just(duo.write(0, 16));
                  return duo.origin()
                      .submitEach(elements == 0 ? Flux.empty() : one.repeat(elements - 1));
                })
            .failing(stage -> closed(stage).origin().submitEach(Flux.empty())));
  }

  @TestFactory
  final Stream<DynamicTest> r18_14_barrier() {
    return verify(
        PublisherCase.none(stage -> {
          Duo duo = Duo.open(stage, 1);
          Peer back = duo.target().peer(duo.origin().address());
          stage.probe("the other member", duo.target().barrier(PeerGroup.of(back)));
          return duo.origin().barrier(PeerGroup.of(duo.peer()));
        }));
  }

  @TestFactory
  final Stream<DynamicTest> r18_15_peerState() {
    return verify(
        // it does not end by itself, and has one element that comes without waiting
        PublisherCase.<PeerState>one(stage -> Duo.open(stage, 1).peer().state().take(1)));
  }

  @TestFactory
  final Stream<DynamicTest> r18_16_watch() {
    return verify(
        PublisherCase.<Change>endless(stage -> stage.open(1).watch(restless(stage)))
            .failing(stage -> closed(stage).origin().watch(restless(stage))));
  }

  @TestFactory
  final Stream<DynamicTest> r18_17_counterClaims() {
    return verify(
        PublisherCase.<Long>many(
                (stage, elements) -> {
                  Duo duo = stage.duo();
                  return duo.target()
                      .counter(stage.imm())
                      .claims(Flux.range(0, Math.toIntExact(elements)).map(i -> 0L), n -> n);
                })
            .failing(
                stage -> closed(stage).origin().counter(Imm.of(1)).claims(Flux.just(1L), n -> n)));
  }

  /** A word that changes every millisecond. */
  private static MemorySegment restless(Stage stage) {
    MemorySegment word = stage.memory(Long.BYTES);
    Disposable ticks =
        Schedulers.boundedElastic()
            .schedulePeriodically(() -> WORD.getAndAdd(word, 0L, 1L), 0, 1, TimeUnit.MILLISECONDS);
    stage.atEnd(ticks::dispose);
    return word;
  }

  private static Duo closed(Stage stage) {
    Duo duo = Duo.open(stage, 1);
    stage.complete(duo.origin().close());
    return duo;
  }

  /** As many arrivals, unclaimed, as any test of the verification asks for. */
  private static Imm arrivals(Stage stage, Duo duo) {
    Imm imm = stage.imm();
    stage.complete(
        duo.origin().submit(Flux.just(duo.signal(imm)).repeat(PublisherCase.SUPPLY - 1)).then());
    return imm;
  }

  private <T> Stream<DynamicTest> verify(PublisherCase<T> publisher) {
    return tests().map(test -> DynamicTest.dynamicTest(test.getName(), () -> run(publisher, test)));
  }

  private static Stream<Method> tests() {
    return Arrays.stream(PublisherVerification.class.getMethods())
        .filter(method -> method.isAnnotationPresent(Test.class))
        .sorted(Comparator.comparing(Method::getName));
  }

  /** The tests of the verification, in the order in which they run. */
  static List<String> testNames() {
    return tests().map(Method::getName).toList();
  }

  private <T> void run(PublisherCase<T> publisher, Method test) throws Throwable {
    // the verification's own subscribers take locks
    try (Stage stage = newStage().signalsMayBlock()) {
      stage.requireNics(1); // here, because the verification takes a skipped test for a failed one
      int attempts = test.getName().startsWith(ONCE_COLLECTED) ? 3 : 1;
      Throwable outcome = outcome(publisher.on(stage), test);
      for (int attempt = 1; attempt < attempts && outcome != null; attempt++) {
        outcome = outcome(publisher.on(stage), test);
      }
      if (outcome instanceof SkipException) {
        throw new TestAbortedException(outcome.getMessage());
      } else if (outcome != null) {
        throw outcome;
      }
    }
  }

  private static <T> @Nullable Throwable outcome(PublisherVerification<T> verification, Method test)
      throws Exception {
    verification.setUp();
    try {
      test.invoke(verification);
      return null;
    } catch (InvocationTargetException e) {
      return e.getCause();
    }
  }

  /** The publisher that a verification asks for. */
  interface Source<T> {

    /** Publishes at least so many elements, if it can. */
    Publisher<T> create(Stage stage, long elements);
  }
}
