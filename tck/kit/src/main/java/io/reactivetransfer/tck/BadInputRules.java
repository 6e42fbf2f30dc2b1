package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.DescriptorFormatException;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.PageList;
import io.reactivetransfer.PagedWrite;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteSlice;
import io.reactivetransfer.Scatter;
import io.reactivetransfer.Signal;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.Write;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

/** Chapter 12: bad input is refused, by its type, before anything is touched. */
abstract class BadInputRules extends RuleGroup {

  BadInputRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r12_1_slicesLieWithinTheirRegion() {
    Duo duo = Duo.open(stage(), 1);
    long[][] ranges = {
      {-1, 1},
      {0, -1},
      {0, Duo.SIZE + 1},
      {Duo.SIZE, 1},
      {Duo.SIZE + 1, 0},
      {1, Long.MAX_VALUE},
      {Long.MAX_VALUE, 1},
      {Long.MIN_VALUE, Long.MIN_VALUE}
    };
    for (long[] range : ranges) {
      assertThatThrownBy(() -> duo.view().slice(range[0], range[1]))
          .as("a remote slice of %s bytes at %s", range[1], range[0])
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> duo.to().slice(range[0], range[1]))
          .as("a slice of %s bytes at %s", range[1], range[0])
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(duo.view().slice(Duo.SIZE, 0).length()).isZero();
  }

  @Test
  final void r12_2_aClosedRegionIsRefused() {
    Duo duo = Duo.open(stage(), 1, new Valve());
    Write before = duo.write(0, 10);
    stage().complete(duo.from().region().close());
    assertThatThrownBy(() -> duo.from().slice(0, 0)).isInstanceOf(TransferRejectedException.class);
    assertThatThrownBy(() -> duo.from().region().descriptor())
        .isInstanceOf(TransferRejectedException.class);
    stage()
        .probe("a write", Mono.defer(() -> duo.origin().submit(before)))
        .awaitError(TransferRejectedException.class);
    assertThat(duo.origin().stats().writesPosted()).as("writes posted").isZero();
  }

  @Test
  final void r12_3_valuesCheckThemselves() {
    Duo duo = Duo.open(stage(), 1);
    MemorySlice source = duo.source(0, 100);
    RemoteSlice target = duo.sink(0, 100);
    refused(() -> Write.of(source, duo.sink(0, 99)));
    refused(() -> WriteImm.of(source, duo.sink(0, 101), Imm.of(1)));
    refused(PageList::of);
    refused(() -> PageList.of(1, 2, 1));
    refused(() -> PageList.of(0, -1));
    refused(() -> PageList.range(0, 0));
    PageList two = PageList.of(0, 1);
    refused(() -> PagedWrite.of(10, source, two, target, PageList.of(0), null));
    refused(() -> PagedWrite.of(0, source, two, target, two, null));
    refused(() ->
        PagedWrite.of(
            10,
            new PagedWrite.Side<>(source, two, 10),
            new PagedWrite.Side<>(target, two, 9),
            null));
    refused(() -> new PagedWrite.Side<>(source, two, 0));
    rowsCheckThemselves(source, target);
    PageList far = PageList.of(0, 10);
    assertThatThrownBy(() -> PagedWrite.of(10, source, far, target, far, null))
        .isInstanceOf(IndexOutOfBoundsException.class);
    refused(() -> Imm.of(-1));
    refused(() -> Imm.of(Imm.MAX_VALUE + 1));
    refused(() -> EngineOptions.builder().window(0).build());
    refused(() -> EngineOptions.builder().nics(9).build());
    refused(() -> EngineOptions.builder().nicDepth(0).build());
    refused(() -> new HostMemory(MemorySegment.ofArray(new byte[8])));
    refused(() -> new HostMemory(stage().memory(8).asReadOnly()));
    try (Arena confined = Arena.ofConfined()) {
      MemorySegment memory = confined.allocate(8);
      refused(() -> new HostMemory(memory));
    }
  }

  private static void rowsCheckThemselves(MemorySlice source, RemoteSlice target) {
    refused(() -> new PagedWrite.Rows(0, 8, 8, 8));
    refused(() -> new PagedWrite.Rows(2, 0, 8, 8));
    refused(() -> new PagedWrite.Rows(2, 8, 0, 8));
    refused(() -> new PagedWrite.Rows(2, 8, 8, 7));
    refused(() -> new PagedWrite.Rows(3, 8, Long.MAX_VALUE / 2, 8));
    refused(() -> new PagedWrite.Rows(3, 8, 8, Long.MAX_VALUE / 2));
    PagedWrite.Rows rows = new PagedWrite.Rows(2, 8, 16, 16);
    PageList two = PageList.of(0, 1);
    PagedWrite.Side<MemorySlice> from = new PagedWrite.Side<>(source, two, 24);
    refused(
        () -> PagedWrite.of(rows, from, new PagedWrite.Side<>(target, PageList.of(0), 24), null));
    refused(() -> PagedWrite.of(rows, from, new PagedWrite.Side<>(target, two, 16), null));
    assertThatThrownBy(
            () -> PagedWrite.of(rows, from, new PagedWrite.Side<>(target, two, 77), null))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }

  private static void refused(Runnable making) {
    assertThatThrownBy(making::run).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  final void r12_4_bytesThatAreNoDescriptorAreRefused() {
    Duo duo = Duo.open(stage(), 1);
    byte[] good = duo.to().region().descriptor().toBytes();
    assertThat(RegionDescriptor.fromBytes(good)).isEqualTo(duo.to().region().descriptor());
    for (int length = 0; length < good.length; length++) {
      byte[] cut = Arrays.copyOf(good, length);
      assertThatThrownBy(() -> RegionDescriptor.fromBytes(cut))
          .as("%s of %s bytes", length, good.length)
          .isInstanceOf(DescriptorFormatException.class);
    }
    for (int at = 0; at < good.length; at++) {
      byte[] damaged = good.clone();
      damaged[at] ^= 1;
      assertThatThrownBy(() -> RegionDescriptor.fromBytes(damaged))
          .as("byte %s damaged", at)
          .isInstanceOf(DescriptorFormatException.class);
    }
    assertThatThrownBy(() -> PeerAddress.fromBytes(good))
        .isInstanceOf(DescriptorFormatException.class);
    String text = duo.target().address().toText();
    assertThat(PeerAddress.fromText(text)).isEqualTo(duo.target().address());
    assertThatThrownBy(() -> PeerAddress.fromText(text.substring(1)))
        .isInstanceOf(DescriptorFormatException.class);
  }

  @Test
  final void r12_5_descriptorsThatAllowNoWriteHereAreRefused() {
    Duo duo = Duo.open(stage(), 1);
    PeerAddress own = duo.target().address();
    PeerAddress foreign = new PeerAddress("other", own.engine(), own.control());
    List<byte[]> keys = List.of(duo.to().region().descriptor().key(0));
    for (RegionDescriptor descriptor :
        List.of(
            new RegionDescriptor(foreign, 1, 10, Access.REMOTE_WRITE, keys),
            new RegionDescriptor(own, 1, 10, Access.LOCAL, keys))) {
      assertThatThrownBy(() -> duo.origin().remote(descriptor))
          .isInstanceOf(TransferRejectedException.class);
    }
    assertThatThrownBy(() -> duo.origin().peer(foreign))
        .isInstanceOf(TransferRejectedException.class);
  }

  @Test
  final void r12_6_whatBelongsToAnotherEngineIsRefused() {
    Duo duo = Duo.open(stage(), 1);
    Duo other = Duo.open(stage(), 1);
    for (Write mixed :
        List.of(
            Write.of(other.source(0, 8), duo.sink(0, 8)),
            Write.of(duo.source(0, 8), other.sink(0, 8)))) {
      assertThatThrownBy(() -> duo.origin().submit(mixed))
          .isInstanceOf(TransferRejectedException.class);
    }
    assertThatThrownBy(() -> duo.origin().submit(other.signal(stage().imm())))
        .isInstanceOf(TransferRejectedException.class);
    assertThat(duo.origin().peer(duo.target().address()).engine()).isEqualTo(duo.origin().id());
  }

  @Test
  final void r12_7_anUnknownBackendIsUnavailable() {
    BackendUnavailableException unknown =
        stage()
            .probe("an engine", sabotage().openByName("no-such-backend"))
            .awaitError(BackendUnavailableException.class);
    assertThat(unknown).hasMessageContaining("no-such-backend");
  }

  @Test
  final void r12_14_aNicThatLacksAKindOfOperationIsRefused() {
    stage().requireNics(1);
    Valve valve = new Valve().operations(Set.of());
    Mono<TransferEngine> opening =
        TransferEngineBuilder.create()
            .backend(sabotage().beneathEngine(valve.before(stage().backend())))
            .options(EngineOptions.builder().nics(1).build())
            .open()
            .delayUntil(TransferEngine::close); // if it should come, it must not stay
    BackendUnavailableException refusal =
        stage()
            .probe("an engine on a NIC that cannot write", opening)
            .awaitError(BackendUnavailableException.class);
    assertThat(refusal).hasMessageContaining("expected").hasMessageContaining("WRITE");
  }

  @Test
  final void r12_8_claimsHaveASize() {
    TransferEngine engine = stage().open(1);
    ImmCounter counter = engine.counter(stage().imm());
    for (long n : new long[] {0, -1, Long.MIN_VALUE, (1L << 40) + 1, Long.MAX_VALUE}) {
      refused(() -> counter.next(n));
      refused(() -> counter.every(n));
    }
    Probe<Void> largest = stage().probe("the largest claim", counter.next(1L << 40));
    largest.assertSilent();
    largest.cancel();
  }

  @Test
  final void r12_9_aRejectedTransferEndsItsStream() {
    Valve valve = new Valve();
    Duo duo = Duo.open(stage(), 1, valve);
    Plot closed = stage().plot(duo.origin(), 100);
    MemorySlice gone = closed.slice(0, 10);
    stage().complete(closed.region().close());
    List<Write> good = duo.writes(2);
    Upstream<Write> upstream = Upstream.open(good);
    Probe<Write> stream = stage().probe("a stream", duo.origin().submit(upstream));
    stream.awaitValues(2);
    upstream.emit(Write.of(gone, duo.sink(900, 10)));
    stream.awaitError(TransferRejectedException.class);
    stage().patience().until("upstream cancelled", upstream::isCancelled);
    assertThat(stream.values()).containsExactlyInAnyOrderElementsOf(good);
    assertThat(valve.taken()).as("writes posted").hasSize(2);
  }

  @Test
  final void r12_10_aMessageThatIsTooLongIsRejected() {
    TransferEngine origin = stage().open(1, options -> options.maxMessageBytes(100));
    TransferEngine target = stage().open(1);
    stage()
        .probe(
            "a long message",
            Mono.defer(() -> origin.send(origin.peer(target.address()), ByteBuffer.allocate(101))))
        .awaitError(TransferRejectedException.class);
  }

  @Test
  final void r12_11_whatBelongsToAnotherEngineFailsItsStreamOnly() {
    Duo duo = Duo.open(stage(), 1);
    Duo other = Duo.open(stage(), 1);
    Imm imm = stage().imm();
    Write good = duo.write(0, 8);
    Scatter.Part part = new Scatter.Part(duo.source(0, 8), duo.sink(0, 8));
    Scatter.Part foreign = new Scatter.Part(duo.source(0, 8), other.sink(0, 8));
    PageList page = PageList.of(0);
    List<Transfer> all =
        List.of(
            Write.of(other.source(0, 8), duo.sink(0, 8)),
            other.write(0, 8, imm),
            PagedWrite.of(8, duo.source(0, 8), page, other.sink(0, 8), page, imm),
            new Scatter(List.of(part, foreign), imm),
            other.signal(imm),
            Signal.of(PeerGroup.of(duo.peer(), other.peer()), imm));
    Probe<Write> neighbour =
        stage().probe("another stream", duo.origin().submit(Upstream.open(List.of(good))));
    for (Transfer bad : all) {
      Upstream<Transfer> upstream = Upstream.of(List.of(bad, bad));
      Probe<Transfer> stream = stage().probe("a stream", duo.origin().submit(upstream));
      stream.awaitError(TransferRejectedException.class);
      stream.assertOneTerminalSignal();
      Probe<Transfer> cancelled =
          stage().probe("a stream", duo.origin().submit(Upstream.open(List.of(bad, bad))));
      cancelled.cancel();
      stage().done(duo.origin(), good);
    }
    neighbour.awaitValues(1);
    neighbour.assertPending();
    assertThat(duo.origin().isClosed()).isFalse();
    neighbour.cancel();
  }

  @Test
  final void r12_12_memoryThatWasFreedIsNotRegistered() {
    TransferEngine engine = stage().open(2);
    HostMemory memory;
    Mono<MemoryRegion> early;
    try (Arena arena = Arena.ofShared()) {
      memory = new HostMemory(arena.allocate(100));
      early = engine.register(memory, Access.REMOTE_WRITE);
    }
    for (Mono<MemoryRegion> late : List.of(early, engine.register(memory, Access.LOCAL))) {
      stage().probe("a region", late).awaitError(TransferRejectedException.class);
    }
    assertThat(engine.stats().openRegions()).isZero();
  }

  @Test
  final void r12_13_argumentsAreRefusedAtOnceAndStateByASignal() {
    Duo duo = Duo.open(stage(), 1);
    TransferEngine engine = duo.origin();
    Write write = duo.write(0, 10);
    refused(() -> engine.lease(0));
    refused(() -> engine.lease(-1));
    stage().complete(engine.close());
    stage().probe("a late write", engine.submit(write)).awaitError(TransferRejectedException.class);
    stage()
        .probe("a late region", engine.register(stage().memory(8)))
        .awaitError(TransferRejectedException.class);
  }
}
