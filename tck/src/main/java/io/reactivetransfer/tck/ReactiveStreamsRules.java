package io.reactivetransfer.tck;

import io.reactivetransfer.Imm;
import io.reactivetransfer.Transfer;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.opentest4j.TestAbortedException;
import org.reactivestreams.Publisher;
import org.reactivestreams.tck.PublisherVerification;
import org.testng.SkipException;
import org.testng.annotations.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Chapter 18: every publisher keeps the rules of Reactive Streams. Runs the verification that
 * Reactive Streams itself provides, each of its tests on engines of its own.
 */
@Tag(ReactiveStreamsRules.TAG)
abstract class ReactiveStreamsRules extends RuleGroup {

  /** What it takes to leave this chapter, which is by far the longest, out of a run. */
  static final String TAG = "reactive-streams";

  ReactiveStreamsRules(TransferConformance kit) {
    super(kit);
  }

  @TestFactory
  final Stream<DynamicTest> r18_1_submitStream() {
    return verify(
        PublisherCase.<Transfer>many(
                (stage, elements) -> {
                  Duo duo = Duo.open(stage, 1);
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
    return Arrays.stream(PublisherVerification.class.getMethods())
        .filter(method -> method.isAnnotationPresent(Test.class))
        .sorted(Comparator.comparing(Method::getName))
        .map(test -> DynamicTest.dynamicTest(test.getName(), () -> run(publisher, test)));
  }

  private <T> void run(PublisherCase<T> publisher, Method test) throws Throwable {
    // the verification's own subscribers take locks
    try (Stage stage = newStage().signalsMayBlock()) {
      PublisherVerification<T> verification = publisher.on(stage);
      verification.setUp();
      test.invoke(verification);
    } catch (InvocationTargetException e) {
      Throwable outcome = e.getCause();
      if (outcome instanceof SkipException) {
        throw new TestAbortedException(outcome.getMessage());
      }
      throw outcome;
    }
  }

  /** The publisher that a verification asks for. */
  interface Source<T> {

    /** Publishes at least so many elements, if it can. */
    Publisher<T> create(Stage stage, long elements);
  }
}
