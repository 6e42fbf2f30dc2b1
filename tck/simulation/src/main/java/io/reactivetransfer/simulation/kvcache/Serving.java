package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRequest;
import io.reactivetransfer.kvcache.KvSpan;
import io.reactivetransfer.kvcache.KvWritten;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** The prefill side of one model on one node, and the application that computes for it. */
final class Serving {

  /** What the application does with a request. */
  private enum Answer {
    HAND_OVER,
    REFUSE,
    THROW,
    END_WITHOUT,
    FAIL_WITHOUT,
    FAIL_HALF_WAY,
    STOP_HALF_WAY,
    OTHER_VERSION,
    // From here on only where something else goes wrong, too.
    LIE,
    LATE,
    HANG;

    /** Those of a run in which nothing else goes wrong. */
    static final List<Answer> CALM =
        Stream.of(values()).filter(answer -> answer.compareTo(LIE) < 0).toList();

    static final List<Answer> ALL = List.of(values());
  }

  final KvNode node;
  final String model;
  final Land source;
  final Land tails;
  private final int concurrency;
  private final SplittableRandom random;
  private @Nullable KvPrefill prefill;
  private @Nullable Waiter service;

  /** Handlers that run, of this opening of the role: those of the one before may end yet. */
  private AtomicInteger running = new AtomicInteger();

  Serving(KvNode node, String model, Land source, Land tails, SplittableRandom random) {
    this.node = node;
    this.model = model;
    this.source = source;
    this.tails = tails;
    this.random = random;
    this.concurrency = 1 + random.nextInt(4);
  }

  List<Land> lands() {
    return List.of(source, tails);
  }

  /** Whether it has not so many pages, whoever has them. */
  boolean isTooSmall(KvSpan span) {
    return span.pages(source.layout.pageTokens()) > source.layout.pages();
  }

  /** Whether nobody has any of its pages. */
  boolean isIdle() {
    return lands().stream().allMatch(land -> land.free() == land.layout.pages());
  }

  /** It computes another rank's share from now on. */
  void takeOver(KvShape shape, int rank) {
    source.lieAs(shape.laidOutFor(shape.ranks().get(rank), source.layout));
  }

  void begin(KvCache cache) {
    node.world().tampering().opens(node.id(), model, source.layout);
    prefill = cache.prefill(model, source.memory());
    running = new AtomicInteger();
    serve();
  }

  private void serve() {
    KvPrefill opened = prefill;
    if (opened != null) {
      Waiter waiter = new Waiter(node, "service", true);
      service = waiter;
      opened
          .serve(
              node.world().tampering().concurrency(concurrency),
              request -> node.world().tampering().served(answer(opened, request)))
          .subscribe(waiter);
    }
  }

  /** Serves no more, with requests being served and others waiting; and then goes on. */
  void serveAgain() {
    Waiter before = service;
    if (node.isUp() && node.isOpen() && before != null && !before.isOver()) {
      node.world().interests().stream()
          .filter(interest -> interest.isOf(this) && !interest.isOver())
          .forEach(interest -> interest.trip().books().answeredBadly(node));
      before.cancel();
      serve();
    }
  }

  private Publisher<?> answer(KvPrefill to, KvRequest request) {
    Trip trip = node.world().trips().get(request.body().getInt());
    node.incoming().handled(trip);
    trip.books().requested(node, request);
    trip.step(TripPlan.Step.REQUESTED);
    Interest interest = new Interest(this, trip, request);
    node.world().tampering().ended(request.ended()).subscribe(interest);
    Answer answer = draw();
    node.world().referee().note(node.index(), answer.name(), trip.number);
    if (answer != Answer.HAND_OVER && answer != Answer.LATE) {
      trip.books().answeredBadly(node);
    }
    if (answer == Answer.LIE) {
      trip.books().liedTo(node);
    }
    Publisher<?> answered = answer(answer, to, request, interest);
    AtomicInteger together = running;
    return interest.watched(
        Flux.from(answered)
            .doOnSubscribe(begun -> requireRoom(together.incrementAndGet()))
            .doOnTerminate(together::decrementAndGet)
            .doOnCancel(together::decrementAndGet),
        answer == Answer.HANG || answer == Answer.OTHER_VERSION);
  }

  private void requireRoom(int now) {
    node.world()
        .referee()
        .require(
            now <= concurrency,
            node + " serves " + now + " requests at once, and was to serve " + concurrency);
  }

  private Publisher<?> answer(Answer answer, KvPrefill to, KvRequest request, Interest interest) {
    return switch (answer) {
      case HAND_OVER -> handOver(to, request, interest, Integer.MAX_VALUE, false);
      case REFUSE -> to.refuse(request, "not today");
      case THROW -> throw new IllegalStateException("the handler breaks down");
      case END_WITHOUT -> Mono.empty();
      case FAIL_WITHOUT -> Mono.error(new IllegalStateException("the model breaks down"));
      case FAIL_HALF_WAY -> handOver(to, request, interest, random.nextInt(3), true);
      case STOP_HALF_WAY ->
          handOver(to, request, interest, Integer.MAX_VALUE, false).take(1 + random.nextInt(3));
      case LIE -> {
        lie(request, interest.trip());
        yield handOver(to, request, interest, Integer.MAX_VALUE, false);
      }
      case LATE ->
          Mono.delay(
                  Duration.ofNanos(random.nextLong(2 * interest.trip().plan().deadlineNanos())),
                  node.scheduler())
              .thenMany(handOver(to, request, interest, Integer.MAX_VALUE, false));
      case OTHER_VERSION -> {
        speakOtherwise(request, interest.trip());
        yield Mono.never();
      }
      case HANG -> Mono.never();
    };
  }

  /** Answers as a node of another version would. */
  private void speakOtherwise(KvRequest request, Trip trip) {
    TransferEngine engine = node.engine();
    if (engine != null) {
      node.speaksOtherwise();
      trip.books().toldOtherwise(node);
      Stranger.endOfOtherVersion(engine, request.decode(), request.id(), random)
          .subscribe(sent -> {}, unread -> {});
    }
  }

  /** Says that it has ended, and is counted as often as nobody can count; and writes on. */
  private void lie(KvRequest request, Trip trip) {
    TransferEngine engine = node.engine();
    if (engine != null) {
      node.world().shutsOut(trip.node(), node);
      Stranger.end(engine, request.decode(), request.id(), random)
          .subscribe(sent -> {}, unread -> {});
    }
  }

  private Answer draw() {
    if (random.nextInt(5) > 0) {
      return Answer.HAND_OVER;
    }
    List<Answer> some = node.world().forecast().calm() ? Answer.CALM : Answer.ALL;
    return some.get(random.nextInt(some.size()));
  }

  private Flux<KvWritten> handOver(
      KvPrefill to, KvRequest request, Interest interest, int layersUntilFailure, boolean fails) {
    return Flux.defer(() -> {
      int order = interest.trip().number;
      Lot pages = request.pages() == 0 ? null : source.take(order, request.span());
      Lot tail = request.wantsTail() ? tails.take(order, TripPages.TAIL) : null;
      if ((request.pages() > 0 && pages == null) || (request.wantsTail() && tail == null)) {
        give(source, pages);
        give(tails, tail);
        interest.trip().books().answeredBadly(node);
        return to.refuse(request, "no pages are left here").thenMany(Flux.empty());
      }
      Handing handing = new Handing(this, interest.trip(), request, pages, tail, random);
      interest.handedBy(handing);
      return handing.start(to, layersUntilFailure, fails);
    });
  }

  private static void give(Land land, @Nullable Lot lot) {
    if (lot != null) {
      land.give(lot);
    }
  }
}
