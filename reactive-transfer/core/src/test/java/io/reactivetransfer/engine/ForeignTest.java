package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Scatter.Part;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.base.Probe;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** What belongs to another engine fails its own stream, once, wherever it is met. */
class ForeignTest {

  private static final Imm IMM = Imm.of(7);

  @RegisterExtension final EngineByHand hand = new EngineByHand();
  @RegisterExtension final EngineByHand other = new EngineByHand();

  private final Upstream<Transfer> upstream = new Upstream<>();
  private MemorySlice source;
  private MemorySlice foreignSource;
  private RemoteSlice target;
  private RemoteSlice foreignTarget;
  private Probe<WriteImm> neighbour;

  enum Kind {
    SOURCE_OF_A_WRITE(test -> Write.of(test.foreignSource, test.target)),
    TARGET_OF_A_WRITE(test -> Write.of(test.source, test.foreignTarget)),
    SOURCE_OF_A_COUNTED_WRITE(test -> WriteImm.of(test.foreignSource, test.target, IMM)),
    TARGET_OF_A_COUNTED_WRITE(test -> WriteImm.of(test.source, test.foreignTarget, IMM)),
    SOURCE_OF_PAGES(test -> test.pages(test.foreignSource, test.target)),
    TARGET_OF_PAGES(test -> test.pages(test.source, test.foreignTarget)),
    SOURCE_OF_A_PART(test -> test.scatter(test.foreignSource, test.target)),
    TARGET_OF_A_PART(test -> test.scatter(test.source, test.foreignTarget)),
    PEER(test -> Signal.of(test.other.peer(1), IMM)),
    MEMBER(test -> Signal.of(PeerGroup.of(test.hand.peer(1), test.other.peer(2)), IMM));

    private final Function<ForeignTest, Transfer> maker;

    Kind(Function<ForeignTest, Transfer> maker) {
      this.maker = maker;
    }
  }

  private PagedWrite pages(MemorySlice from, RemoteSlice to) {
    return PagedWrite.of(10, from, PageList.of(0, 1), to, PageList.of(1, 0), IMM);
  }

  private Scatter scatter(MemorySlice from, RemoteSlice to) {
    return new Scatter(List.of(new Part(source, target), new Part(from, to)), IMM);
  }

  @BeforeEach
  void open() {
    hand.open(1, options -> options.window(8));
    hand.receive(1, hand.hello(1)); // so that what is good is posted at once
    other.open(1);
    MemoryRegion region = hand.region();
    source = region.slice(0, 100);
    target = hand.remote(1).slice(0, 100);
    foreignSource = other.region().slice(0, 100);
    foreignTarget = other.remote(1).slice(0, 100);
    neighbour = hand.probe(hand.engine().submit(WriteImm.of(source, target, Imm.of(1))));
  }

  private Transfer foreign(Kind kind) {
    return kind.maker.apply(this);
  }

  private Probe<Transfer> submit(Publisher<Transfer> transfers) {
    Probe<Transfer> probe = hand.probe(hand.engine().submit(transfers));
    hand.turn();
    return probe;
  }

  private void assertOthersGoOn() {
    hand.settle();
    neighbour.assertComplete();
    Probe<Write> later = hand.probe(hand.engine().submit(Write.of(source, target)));
    hand.turn();
    hand.settle();
    later.assertComplete();
    assertThat(hand.engine().isClosed()).isFalse();
    assertThat(hand.stats().transfersInFlight()).isZero();
  }

  private static void assertRejected(Probe<?> probe) {
    assertThat(probe.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("of another one");
  }

  @ParameterizedTest
  @EnumSource
  void alone(Kind kind) {
    assertRejected(submit(Flux.just(foreign(kind))));
    assertOthersGoOn();
  }

  @ParameterizedTest
  @EnumSource
  void twoInOneStream(Kind kind) {
    assertRejected(submit(Flux.just(foreign(kind), foreign(kind))));
    assertOthersGoOn();
  }

  @ParameterizedTest
  @EnumSource
  void betweenOthers(Kind kind) {
    Write good = Write.of(source, target);
    Probe<Transfer> probe = submit(Flux.just(good, foreign(kind), good, foreign(kind)));
    hand.settle();
    assertThat(probe.items()).containsExactly(good);
    assertRejected(probe);
    assertOthersGoOn();
  }

  @ParameterizedTest
  @EnumSource
  void queuedWhenTheStreamIsCancelled(Kind kind) {
    Probe<Transfer> probe = submit(upstream);
    upstream.emit(foreign(kind));
    upstream.emit(foreign(kind));
    probe.cancel();
    hand.turn();
    assertOthersGoOn();
  }

  @ParameterizedTest
  @EnumSource
  void queuedWhenUpstreamFails(Kind kind) {
    Probe<Transfer> probe = submit(upstream);
    upstream.emit(foreign(kind));
    upstream.fail(new IllegalStateException("upstream's own"));
    hand.turn();
    assertThat(probe.error()).hasMessage("upstream's own");
    assertOthersGoOn();
  }

  @ParameterizedTest
  @EnumSource
  void queuedWhenTheEngineCloses(Kind kind) {
    Probe<Transfer> probe = submit(upstream);
    Probe<Void> closing = hand.probe(hand.engine().close());
    upstream.emit(foreign(kind));
    hand.turn();
    hand.settle();
    closing.assertComplete();
    assertThat(probe.terminals()).isEqualTo(1);
  }

  @ParameterizedTest
  @EnumSource
  void whereEachHasAnOutcome(Kind kind) {
    Write good = Write.of(source, target);
    Transfer bad = foreign(kind);
    var probe = hand.probe(hand.engine().submitEach(Flux.just(bad, good, bad)));
    hand.turn();
    hand.settle();
    assertThat(probe.assertComplete().items())
        .hasSize(3)
        .filteredOn(outcome -> !outcome.isDone())
        .hasSize(2)
        .allSatisfy(outcome -> assertThat(outcome.transfer()).isSameAs(bad));
    assertOthersGoOn();
  }

  @Test
  @SuppressWarnings({"unchecked", "rawtypes"}) // as a careless caller may
  void whatIsNoTransfer() {
    Probe<Transfer> probe = submit((Publisher) Flux.just("a word"));
    assertThat(probe.error()).isInstanceOf(ClassCastException.class);
    assertOthersGoOn();
  }

  @Test
  void nothing() {
    Probe<Transfer> probe = submit(upstream);
    assertThatNullPointerException().isThrownBy(() -> upstream.emit(null));
    hand.turn();
    assertThat(probe.error()).isInstanceOf(NullPointerException.class);
    assertThat(upstream.isCancelled()).isTrue();
    assertOthersGoOn();
  }
}
