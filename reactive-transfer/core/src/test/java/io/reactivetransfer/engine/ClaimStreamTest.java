package io.reactivetransfer.engine;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.DeadlineExceededException;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.ImmLease;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.HandScheduler;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.engine.base.WireImm;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;

/** Claims of what upstream says, one after the other; and words that are raised by claims. */
class ClaimStreamTest {

  private static final Imm IMM = Imm.of(77);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final Upstream<Long> upstream = new Upstream<>();

  private ImmCounter counter() {
    return hand.engine().counter(IMM);
  }

  private void arrivals(int writes) {
    for (int i = 0; i < writes; i++) {
      hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    }
    hand.turn();
  }

  private Probe<Long> stream(ImmCounter counter, Probe<Long> probe) {
    hand.probe(counter.claims(upstream, n -> n), probe);
    hand.turn();
    return probe;
  }

  private Probe<Long> stream() {
    return stream(counter(), Probe.unbounded());
  }

  private void emit(long n) {
    upstream.emit(n);
    hand.turn();
  }

  private void noClaimIsLeft(int unclaimed) {
    assertThat(hand.stats().pendingClaims()).isZero();
    Probe<Long> left = hand.probe(counter().discard());
    hand.turn();
    assertThat(left.assertComplete().items()).containsExactly((long) unclaimed);
    assertThat(hand.stats().unclaimedImms()).isZero();
  }

  @Test
  void eachElementIsEmittedWhenAsMuchHasArrived() {
    hand.open(1);
    Probe<Long> probe = stream();
    arrivals(2);
    emit(3);
    assertThat(probe.items()).isEmpty();
    arrivals(2);
    assertThat(probe.items()).containsExactly(3L);
    emit(1); // what was left over
    emit(0);
    assertThat(probe.items()).containsExactly(3L, 1L, 0L);
    emit(2);
    upstream.complete();
    hand.turn();
    probe.assertOpen();
    arrivals(2);
    assertThat(probe.assertComplete().items()).containsExactly(3L, 1L, 0L, 2L);
    noClaimIsLeft(0);
  }

  @Test
  void upstreamIsAskedForOneWhenThereIsDemandAndNoneIsOut() {
    hand.open(1);
    Probe<Long> probe = stream(counter(), new Probe<>(0));
    assertThat(upstream.requested()).isZero();
    probe.request(2);
    assertThat(upstream.requested()).isEqualTo(1);
    emit(1);
    probe.request(1);
    assertThat(upstream.requested()).isEqualTo(1);
    arrivals(3);
    assertThat(upstream.requested()).isEqualTo(2);
    emit(1);
    emit(1);
    assertThat(probe.items()).containsExactly(1L, 1L, 1L);
    assertThat(upstream.requested()).isEqualTo(3);
    probe.cancel();
    hand.turn();
    noClaimIsLeft(0);
  }

  @Test
  void whatUpstreamEmitsAtOnceIsClaimedForInOrder() {
    hand.open(1);
    Probe<Integer> probe =
        hand.probe(counter().claims(Flux.range(1, 4), Integer::longValue), Probe.unbounded());
    hand.turn();
    arrivals(9);
    assertThat(probe.items()).containsExactly(1, 2, 3);
    arrivals(1);
    assertThat(probe.assertComplete().items()).containsExactly(1, 2, 3, 4);
    noClaimIsLeft(0);
  }

  @Test
  void claimsOfOthersAreServedInTheirOrder() {
    hand.open(1);
    Probe<Long> probe = stream();
    Probe<Void> first = hand.probe(counter().next(2));
    hand.turn();
    emit(1);
    arrivals(1);
    assertThat(probe.items()).isEmpty();
    arrivals(2);
    first.assertComplete();
    assertThat(probe.items()).containsExactly(1L);
    probe.cancel();
  }

  /** What is met while upstream is being cancelled belongs to nobody: it is given back. */
  @Test
  void whatArrivesWhileUpstreamIsCancelledIsGivenBack() {
    hand.open(1);
    Flux<Long> claims = Flux.concat(Flux.just(2L), Flux.never()).doOnCancel(() -> arrivals(2));
    Probe<Long> probe = hand.probe(counter().claims(claims, n -> n), Probe.unbounded());
    hand.turn();
    probe.cancel();
    hand.turn();
    assertThat(probe.items()).isEmpty();
    noClaimIsLeft(2);
  }

  @Test
  void anElementThatNobodyHasAskedForIsRefused() {
    hand.open(1);
    Probe<Long> probe = stream(counter(), new Probe<>(0));
    emit(0);
    assertThat(probe.items()).isEmpty();
    assertThat(probe.error())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("rule 1.1");
    noClaimIsLeft(0);
  }

  /** The one whose claim is out, and one that upstream emits before it can know. */
  @Test
  void whatIsNotBroughtDownstreamIsDiscarded() {
    hand.open(1);
    List<Long> discarded = new ArrayList<>();
    List<Object> dropped = new ArrayList<>();
    Hooks.onNextDropped(dropped::add);
    try {
      Probe<Long> probe =
          hand.probe(
              counter().claims(upstream, n -> n).doOnDiscard(Long.class, discarded::add),
              Probe.unbounded());
      hand.turn();
      emit(2);
      probe.cancel();
      emit(3);
      hand.turn();
      assertThat(discarded).containsExactly(2L, 3L);
      assertThat(dropped).isEmpty();
    } finally {
      Hooks.resetOnNextDropped();
    }
    noClaimIsLeft(0);
  }

  @Test
  void anIdleStreamEndsWithTheLeaseOfItsImmediate() {
    hand.open(1);
    ImmLease lease = hand.engine().lease();
    Probe<Long> idle = stream(lease.counter(), Probe.unbounded());
    lease.close();
    hand.turn();
    assertThat(idle.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("lease");
    Probe<Long> late =
        hand.probe(lease.counter().claims(Flux.<Long>never(), n -> n), Probe.unbounded());
    hand.turn();
    assertThat(late.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("lease");
  }

  @Test
  void anUpstreamThatThrowsWhenItIsCancelledKeepsNoEndFromComing() throws InterruptedException {
    hand.open(1);
    Flux<Long> claims =
        Flux.<Long>never()
            .doOnCancel(() -> {
              throw new IllegalStateException("a defect of a user's");
            });
    Probe<Long> probe = hand.probe(counter().claims(claims, n -> n), Probe.unbounded());
    hand.turn();
    hand.close();
    hand.settle();
    assertThat(probe.awaitEnd(0)).isTrue();
  }

  /** Reactor hands a missing class to nobody, but throws it out of the request. */
  @Test
  void anUpstreamThatThrowsWhenItIsAskedEndsTheStream() {
    hand.open(1);
    Flux<Long> claims =
        Flux.range(1, 3)
            .map(i -> {
              if (i == 2) {
                throw new NoClassDefFoundError("missing");
              }
              return (long) i;
            });
    Probe<Long> probe = hand.probe(counter().claims(claims, n -> n), Probe.unbounded());
    hand.turn();
    arrivals(5);
    assertThat(probe.items()).containsExactly(1L);
    assertThat(probe.error()).isInstanceOf(NoClassDefFoundError.class);
    noClaimIsLeft(4);
  }

  @Test
  void nullIsNoElement() {
    hand.open(1);
    Probe<Long> probe = stream();
    upstream.emit(null);
    hand.turn();
    assertThat(probe.error()).isInstanceOf(NullPointerException.class).hasMessageContaining("2.13");
    noClaimIsLeft(0);
  }

  @Test
  void anEmptyStreamCompletesWithoutDemand() {
    hand.open(1);
    Probe<Long> probe = hand.probe(counter().claims(Flux.<Long>empty(), n -> n), new Probe<>(0));
    hand.turn();
    probe.assertComplete();
    noClaimIsLeft(0);
  }

  @Test
  void cancellingReturnsTheClaim() {
    hand.open(1);
    Probe<Long> probe = stream();
    emit(3);
    arrivals(2);
    probe.cancel();
    hand.turn();
    assertThat(upstream.isCancelled()).isTrue();
    noClaimIsLeft(2);
  }

  @Test
  void cancellingBetweenTwoClaimsLeavesNothing() {
    hand.open(1);
    Probe<Long> probe = stream();
    emit(1);
    arrivals(2);
    probe.cancel();
    hand.turn();
    noClaimIsLeft(1);
  }

  @Test
  void whatArrivesBetweenTwoClaimsIsSeenAsUnclaimed() {
    hand.open(1);
    Probe<Long> probe = stream();
    arrivals(2);
    assertThat(hand.stats().unclaimedImms()).isEqualTo(1);
    emit(2);
    assertThat(hand.stats().unclaimedImms()).isZero();
    probe.cancel();
    hand.turn();
    noClaimIsLeft(0);
  }

  @Test
  void anUpstreamThatFailsEndsTheClaimThatIsOut() {
    hand.open(1);
    Probe<Long> probe = stream();
    emit(2);
    arrivals(1);
    upstream.fail(new IllegalStateException("no more"));
    hand.turn();
    assertThat(probe.error()).hasMessage("no more");
    noClaimIsLeft(1);
  }

  @Test
  void anUpstreamThatFailsBetweenTwoClaimsEndsTheStream() {
    hand.open(1);
    Probe<Long> probe = stream();
    upstream.fail(new IllegalStateException("no more"));
    hand.turn();
    assertThat(probe.error()).hasMessage("no more");
    noClaimIsLeft(0);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, (1L << 40) + 1})
  void aNumberOutOfRangeEndsTheStream(long n) {
    hand.open(1);
    Probe<Long> probe = stream();
    emit(n);
    assertThat(probe.error())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("got " + n);
    assertThat(upstream.isCancelled()).isTrue();
    noClaimIsLeft(0);
  }

  @Test
  void anUpstreamThatEmitsUnaskedEndsTheStream() {
    hand.open(1);
    Probe<Long> probe = stream();
    emit(1);
    emit(1);
    assertThat(probe.error()).hasMessageContaining("rule 1.1");
    noClaimIsLeft(0);
  }

  @ParameterizedTest
  @ValueSource(longs = {0, -1})
  void askingForLessThanOneIsAnError(long n) {
    hand.open(1);
    Probe<Long> probe = stream(counter(), new Probe<>(0));
    probe.request(n);
    hand.turn();
    assertThat(probe.error()).hasMessageContaining("rule 3.9");
    noClaimIsLeft(0);
  }

  @Test
  void closingTheEngineEndsIt() {
    hand.open(1);
    Probe<Long> idle = stream(counter(), new Probe<>(0));
    Upstream<Long> other = new Upstream<>();
    Probe<Long> waiting = hand.probe(counter().claims(other, n -> n), Probe.unbounded());
    hand.turn();
    other.emit(1L);
    hand.turn();
    hand.close();
    hand.settle();
    assertThat(idle.error()).isInstanceOf(TransferRejectedException.class);
    assertThat(waiting.error()).isInstanceOf(TransferRejectedException.class);
  }

  @Test
  void aLeaseThatClosesEndsIt() {
    hand.open(1);
    ImmLease lease = hand.engine().lease();
    Probe<Long> probe = stream(lease.counter(), Probe.unbounded());
    emit(1);
    lease.close();
    hand.turn();
    assertThat(probe.error()).isInstanceOf(TransferRejectedException.class);
    hand.nic(0).arrive(WireImm.encode(lease.imm().value(), 1)); // late
    hand.turn();
    assertThat(hand.stats().unclaimedImms()).isZero();
    assertThat(hand.stats().pendingClaims()).isZero();
  }

  /** One timer serves all claims of a stream, and each has its full time. */
  @Test
  void eachClaimHasItsDeadline() {
    hand.open(1);
    Probe<Long> probe = stream(counter().within(Duration.ofSeconds(10)), Probe.unbounded());
    for (int i = 0; i < 5; i++) {
      emit(1);
      hand.advance(Duration.ofSeconds(8));
      arrivals(1);
    }
    assertThat(probe.items()).hasSize(5);
    emit(1);
    hand.advance(Duration.ofSeconds(9));
    probe.assertOpen();
    hand.advance(Duration.ofSeconds(1));
    assertThat(probe.error()).isInstanceOf(DeadlineExceededException.class);
    noClaimIsLeft(0);
  }

  // ---- words ----

  private static long in(MemorySegment word) {
    return word.get(ValueLayout.JAVA_LONG, 0);
  }

  @Test
  void aWordIsRaisedByEachClaimThatIsMet() {
    hand.open(1);
    MemorySegment word = Arena.ofAuto().allocate(8, 8);
    Probe<Long> probe = stream(counter().raising(word), Probe.unbounded());
    emit(2);
    arrivals(1);
    assertThat(in(word)).isZero();
    arrivals(1);
    assertThat(in(word)).isEqualTo(1);
    emit(0);
    emit(1);
    assertThat(in(word)).isEqualTo(2);
    probe.cancel();
    hand.turn();
    arrivals(1);
    assertThat(in(word)).isEqualTo(2);
    Probe<Void> next = hand.probe(counter().raising(word).next(1));
    hand.turn();
    next.assertComplete();
    assertThat(in(word)).isEqualTo(3);
  }

  @Test
  void aClaimWhoseWordIsGoneFailsAndLeavesTheArrivals() {
    hand.open(1);
    Arena arena = Arena.ofShared();
    ImmCounter raising = counter().raising(arena.allocate(8, 8));
    arena.close();
    Probe<Void> next = hand.probe(raising.next(1));
    arrivals(1);
    assertThat(next.error())
        .isInstanceOf(TransferRejectedException.class)
        .hasMessageContaining("cannot be written");
    noClaimIsLeft(1);
  }

  @Test
  void soDoesOneWhoseWordLiesInAMappedFileThatWasCutOff(@TempDir Path folder) throws IOException {
    hand.open(1);
    Path file = Files.write(folder.resolve("words"), new byte[4_096]);
    try (Arena arena = Arena.ofShared();
        FileChannel channel = FileChannel.open(file, READ, WRITE)) {
      MemorySegment mapped = channel.map(MapMode.READ_WRITE, 0, 4_096, arena);
      Probe<Void> next = hand.probe(counter().raising(mapped.asSlice(64, 8)).next(1));
      channel.truncate(0);
      arrivals(1);
      assertThat(next.error())
          .isInstanceOf(TransferRejectedException.class)
          .hasMessageContaining("cannot be written");
    }
    noClaimIsLeft(1);
  }

  private static final long FAILED = 1L << 50;

  @Test
  void aWordSaysThatAClaimHasFailedBeforeAnySignalComes() {
    HandScheduler signals = new HandScheduler();
    hand.signals = signals;
    hand.open(1);
    MemorySegment word = Arena.ofAuto().allocate(8, 8);
    ImmCounter raising = counter().raising(new HostMemory(word), FAILED);
    Probe<Void> met = hand.probe(raising.next(1));
    Probe<Void> late = hand.probe(raising.within(Duration.ofSeconds(10)).next(1));
    hand.nic(0).arrive(WireImm.encode(IMM.value(), 1));
    hand.turnWorker();
    assertThat(in(word)).isEqualTo(1);
    hand.loop.advance(Duration.ofSeconds(10));
    hand.turnWorker();
    assertThat(in(word)).isEqualTo(FAILED);
    late.assertOpen();
    hand.turn();
    met.assertComplete();
    assertThat(late.error()).isInstanceOf(DeadlineExceededException.class);
  }

  @Test
  void aClaimThatIsCancelledLeavesItsWordAsItIs() {
    hand.open(1);
    MemorySegment word = Arena.ofAuto().allocate(8, 8);
    Probe<Void> next = hand.probe(counter().raising(new HostMemory(word), FAILED).next(1));
    hand.turn();
    next.cancel();
    hand.turn();
    hand.engine().close().subscribe();
    hand.turn();
    assertThat(in(word)).isZero();
  }

  /** And one that raises a word which is for nothing else. */
  @Test
  void aClaimThatFailsLeavesAWordAsItIsThatIsNotForThat() {
    hand.open(1);
    MemorySegment word = Arena.ofAuto().allocate(8, 8);
    Probe<Void> next = hand.probe(counter().raising(word).within(Duration.ofSeconds(1)).next(1));
    hand.turn();
    hand.advance(Duration.ofSeconds(1));
    assertThat(next.error()).isInstanceOf(DeadlineExceededException.class);
    assertThat(in(word)).isZero();
  }

  @Test
  void aClaimFailsAlsoWhenItsWordIsGone() {
    hand.open(1);
    Arena arena = Arena.ofShared();
    ImmCounter raising = counter().raising(new HostMemory(arena.allocate(8, 8)), FAILED);
    arena.close();
    Probe<Void> next = hand.probe(raising.within(Duration.ofSeconds(1)).next(1));
    hand.turn();
    hand.advance(Duration.ofSeconds(1));
    assertThat(next.error()).isInstanceOf(DeadlineExceededException.class);
  }

  @Test
  void aCounterRaisesEachOfSeveralWords() {
    hand.open(1);
    MemorySegment words = Arena.ofAuto().allocate(24, 8);
    ImmCounter raising =
        counter()
            .raising(new HostMemory(words.asSlice(0, 8)), FAILED)
            .raising(words.asSlice(8, 8))
            .raising(new HostMemory(words.asSlice(16, 8)), 2 * FAILED);
    Probe<Void> met = hand.probe(raising.next(1));
    arrivals(1);
    met.assertComplete();
    assertThat(words.toArray(ValueLayout.JAVA_LONG)).containsExactly(1, 1, 1);
    Probe<Void> late = hand.probe(raising.within(Duration.ofSeconds(1)).next(1));
    hand.turn();
    hand.advance(Duration.ofSeconds(1));
    assertThat(late.error()).isInstanceOf(DeadlineExceededException.class);
    assertThat(words.toArray(ValueLayout.JAVA_LONG)).containsExactly(FAILED, 1, 2 * FAILED);
  }

  /** Whoever waits for the last one alone must not go on as if all were well. */
  @Test
  void noWordIsRaisedBehindOneThatIsGone() {
    hand.open(1);
    MemorySegment words = Arena.ofAuto().allocate(16, 8);
    Arena arena = Arena.ofShared();
    ImmCounter raising =
        counter()
            .raising(words.asSlice(0, 8))
            .raising(arena.allocate(8, 8))
            .raising(new HostMemory(words.asSlice(8, 8)), FAILED);
    arena.close();
    Probe<Void> next = hand.probe(raising.next(1));
    arrivals(1);
    assertThat(next.error()).hasMessageContaining("cannot be written");
    assertThat(words.toArray(ValueLayout.JAVA_LONG)).containsExactly(1, FAILED);
    noClaimIsLeft(1);
  }

  @Test
  void aCounterIsOfItsEngine() {
    hand.open(1);
    assertThat(counter().raising(Arena.ofAuto().allocate(8, 8)).engine())
        .isEqualTo(hand.engine().id());
  }

  @Test
  void whatIsNoWordIsRefusedAtOnce() {
    hand.open(1);
    MemorySegment memory = Arena.ofAuto().allocate(24, 8);
    for (MemorySegment wrong :
        List.of(memory.asSlice(0, 16), memory.asSlice(4, 8), memory.asSlice(0, 8).asReadOnly())) {
      assertThatIllegalArgumentException().isThrownBy(() -> counter().raising(wrong));
    }
  }
}
