package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.EngineRecorder.StreamEnd;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Probe;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** How the time of a stream divides into what it waits, and what passes once it is posted. */
class QueuedTimeTest {

  private static final Imm IMM = Imm.of(7);
  private static final Duration WAIT = Duration.ofMillis(30);
  private static final Duration WAY = Duration.ofMillis(20);

  /** Turns take time on this clock, too. */
  private static final Duration TURNS = Duration.ofMillis(1);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final List<StreamEnd> ends = new ArrayList<>();
  private boolean listens = true;
  private MemoryRegion source;

  private final EngineRecorder recorder =
      new EngineRecorder() {
        @Override
        public boolean isToldOfStreams() {
          return listens;
        }

        @Override
        public void streamEnded(EngineId engine, StreamEnd end) {
          ends.add(end);
        }
      };

  /** Whatever is submitted, its first piece counts. */
  enum Kind {
    ONE(test -> test.engine().submit(test.write(100))),
    ONE_COUNTED(test -> test.engine().submit(test.counted())),
    STREAM(test -> test.engine().submit(test.three(test.write(100)))),
    STREAM_COUNTED(test -> test.engine().submit(test.three(test.counted()))),
    EACH(test -> test.engine().submitEach(test.three(test.counted()))),
    CUT(test -> test.engine().submit(test.write(200_000))),
    AIMED(test -> test.engine().submit(test.aimed())),
    PAGED(test -> test.engine().submit(test.paged())),
    SCATTER(test -> test.engine().submit(test.scatter())),
    SIGNAL(test -> test.engine().submit(Signal.of(test.group(), IMM)));

    private final Function<QueuedTimeTest, Publisher<?>> of;

    Kind(Function<QueuedTimeTest, Publisher<?>> of) {
      this.of = of;
    }
  }

  private void open() {
    open(UnaryOperator.identity());
  }

  private void open(UnaryOperator<EngineOptions.Builder> options) {
    hand.open(2, o -> options.apply(o.recorder(recorder).minPieceBytes(1)));
    source = hand.region();
  }

  /** They greet at once when they are greeted. */
  private void getToKnowPeers() {
    for (int peer = 1; peer <= 2; peer++) {
      hand.probe(hand.engine().submit(Signal.of(hand.peer(peer), Imm.of(1))));
      hand.turn();
    }
    hand.settle();
    ends.clear();
  }

  private TransferEngine engine() {
    return hand.engine();
  }

  private <T extends Transfer> Flux<T> three(T transfer) {
    return Flux.range(0, 3).map(_ -> transfer);
  }

  private MemorySlice from(long length) {
    return source.slice(0, length);
  }

  private RemoteSlice to(int peer, long length) {
    return hand.remote(peer).slice(0, length);
  }

  private Write write(long length) {
    return Write.of(from(length), to(1, length));
  }

  private WriteImm counted() {
    return WriteImm.of(from(100), to(1, 100), IMM);
  }

  private AimedWrite aimed() {
    return AimedWrite.between(source, hand.remote(1), IMM).aim(0, 0, 100);
  }

  private PagedWrite paged() {
    PageList pages = PageList.of(0, 2, 4);
    return PagedWrite.of(10, from(100), pages, to(1, 100), pages, IMM);
  }

  private Scatter scatter() {
    return Scatter.of(
        IMM, new Scatter.Part(from(100), to(1, 100)), new Scatter.Part(from(100), to(2, 100)));
  }

  private PeerGroup group() {
    return PeerGroup.of(hand.peer(1), hand.peer(2));
  }

  private <T> Probe<T> submit(Publisher<T> publisher) {
    Probe<T> probe = hand.probe(publisher);
    hand.turn();
    return probe;
  }

  private void nicsHaveRoom(int room) {
    hand.nics().forEach(nic -> nic.room = room);
  }

  private void greet(int peer) {
    hand.receive(peer, hand.hello(peer));
  }

  private void afterTheWay() {
    hand.advance(WAY);
    hand.settle();
  }

  private StreamEnd end() {
    assertThat(ends).hasSize(1);
    return ends.getFirst();
  }

  private void assertQueuedAndPosted(Duration queued, Duration posted) {
    StreamEnd end = end();
    assertThat(end.isPosted()).isTrue();
    assertThat(end.queued()).isBetween(queued, queued.plus(TURNS));
    assertThat(end.duration().minus(end.queued())).isBetween(posted, posted.plus(TURNS));
  }

  private void assertOnlyQueued(Duration queued) {
    StreamEnd end = end();
    assertThat(end.isPosted()).isFalse();
    assertThat(end.queued()).isEqualTo(end.duration()).isBetween(queued, queued.plus(TURNS));
  }

  @ParameterizedTest
  @EnumSource
  void whatIsPostedAtOnceHasNotWaited(Kind kind) {
    open();
    getToKnowPeers();
    submit(kind.of.apply(this));
    afterTheWay();
    assertQueuedAndPosted(Duration.ZERO, WAY);
  }

  @ParameterizedTest
  @EnumSource
  void theWaitForRoomIsOfTheQueue(Kind kind) {
    open();
    getToKnowPeers();
    nicsHaveRoom(0);
    submit(kind.of.apply(this));
    hand.advance(WAIT);
    nicsHaveRoom(Integer.MAX_VALUE);
    hand.turn();
    afterTheWay();
    assertQueuedAndPosted(WAIT, WAY);
  }

  @ParameterizedTest
  @EnumSource
  void theWaitForAGreetingIsOfTheQueue(Kind kind) {
    open();
    hand.control().peersGreet = false;
    submit(kind.of.apply(this));
    hand.advance(WAIT);
    greet(1);
    if (kind == Kind.SCATTER || kind == Kind.SIGNAL) {
      hand.advance(WAIT); // the other part of it waits on, and the first one counts
      greet(2);
      afterTheWay();
      assertQueuedAndPosted(WAIT, WAIT.plus(WAY));
    } else {
      afterTheWay();
      assertQueuedAndPosted(WAIT, WAY);
    }
  }

  @Test
  void onlyTheFirstPieceCounts() {
    open();
    getToKnowPeers();
    nicsHaveRoom(0);
    hand.nic(1).room = 1;
    submit(engine().submit(Flux.just(write(200_000), write(100))));
    hand.advance(WAIT);
    nicsHaveRoom(Integer.MAX_VALUE);
    hand.turn();
    afterTheWay();
    assertQueuedAndPosted(Duration.ZERO, WAIT.plus(WAY));
  }

  /** Its clock begins when the engine takes notice of it. */
  @Test
  void theWaitForUpstreamIsOfTheQueue() {
    open();
    getToKnowPeers();
    Upstream<Write> upstream = new Upstream<>();
    submit(engine().submit(upstream));
    hand.advance(WAIT);
    upstream.emit(write(100));
    upstream.complete();
    hand.turn();
    afterTheWay();
    assertQueuedAndPosted(WAIT, WAY);
  }

  @Test
  void eachOfTwoStreamsHasItsOwnTime() {
    open(o -> o.nicDepth(1).peerDepth(2));
    getToKnowPeers();
    submit(engine().submit(Flux.just(write(100), write(100))));
    submit(engine().submit(write(100)));
    hand.advance(WAIT);
    hand.completeAll();
    afterTheWay();
    assertThat(ends).hasSize(2);
    assertThat(ends.get(0).queued()).isLessThan(TURNS);
    assertThat(ends.get(1).queued()).isBetween(WAIT, WAIT.plus(TURNS));
  }

  @Test
  void whatIsRefusedWasInTheQueueOnly() {
    open();
    getToKnowPeers();
    Write late = write(100);
    hand.probe(source.close());
    hand.turn();
    assertThat(submit(engine().submit(late)).error()).isInstanceOf(TransferRejectedException.class);
    assertOnlyQueued(Duration.ZERO);
  }

  @Test
  void whatWasRefusedLaterWasInTheQueueUntilThen() {
    open();
    getToKnowPeers();
    Upstream<Write> upstream = new Upstream<>();
    Probe<Write> probe = submit(engine().submit(upstream));
    Write late = write(100);
    hand.probe(source.close());
    hand.advance(WAIT);
    upstream.emit(late);
    hand.turn();
    assertThat(probe.error()).isInstanceOf(TransferRejectedException.class);
    assertOnlyQueued(WAIT);
  }

  @Test
  void whatItsDeadlineEndsBeforeItIsPostedWasInTheQueueOnly() {
    open();
    getToKnowPeers();
    nicsHaveRoom(0);
    Probe<Write> probe = submit(engine().submit(write(100), WAIT));
    hand.advance(WAIT.plus(WAIT));
    hand.turn();
    assertThat(probe.error()).isInstanceOf(DeadlineExceededException.class);
    assertThat(end().isPosted()).isFalse();
    assertThat(end().queued()).isEqualTo(end().duration()).isGreaterThanOrEqualTo(WAIT);
  }

  @Test
  void whatIsCancelledBeforeItIsPostedWasInTheQueueOnly() {
    open();
    getToKnowPeers();
    nicsHaveRoom(0);
    Probe<Write> probe = submit(engine().submit(write(100)));
    hand.advance(WAIT);
    probe.cancel();
    hand.turn();
    assertOnlyQueued(WAIT);
  }

  @Test
  void whatWasQueuedBeforeAnybodyListenedIsToldAsWell() {
    open();
    getToKnowPeers();
    listens = false;
    nicsHaveRoom(0);
    submit(engine().submit(write(100)));
    hand.advance(WAIT);
    nicsHaveRoom(Integer.MAX_VALUE);
    hand.turn();
    listens = true;
    afterTheWay();
    assertQueuedAndPosted(WAIT, WAY);
  }
}
