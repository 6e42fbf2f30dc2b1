package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.WriteImm;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ObjIntConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;

/** Cables that are cut while writes cross them, in the guest, with one NIC and with two. */
class IbverbsLinkIT {

  /** How a cable is cut. */
  enum Cut {
    /** Both ports notice. */
    UNPLUGGED(Cables::unplug),

    /** No port notices, as where a switch in between fails. */
    SILENT((cables, cable) -> cables.lose(cable, 100));

    private final ObjIntConsumer<Cables> act;

    Cut(ObjIntConsumer<Cables> act) {
      this.act = act;
    }
  }

  private static final Imm IMM = Imm.of(1_000_000);
  private static final Imm OTHER = Imm.of(1_000_001);
  private static final int BYTES = 16_384;
  private static final int SOME = 50;
  private static final int WRITES = 500;

  @ParameterizedTest
  @EnumSource
  void withOneNicAllEndsAndGoesOnWhenTheCableIsWhole(Cut cut) throws Exception {
    try (Cables cables = new Cables();
        CabledEngines engines = new CabledEngines(1)) {
      CountedWrites writes = new CountedWrites(engines, engines.a(), engines.b(), WRITES);
      assertThat(CabledEngines.await(writes.round()).keySet()).as("failures before").isEmpty();

      MemoryRegion source = CabledEngines.register(engines.a(), engines.allocate(BYTES));
      RemoteRegion target =
          engines
              .a()
              .remote(CabledEngines.register(engines.b(), engines.allocate(BYTES)).descriptor());
      AtomicInteger done = new AtomicInteger();
      CompletableFuture<Void> stream =
          engines
              .a()
              .submit(Flux.just(WriteImm.of(source.whole(), target.whole(), IMM)).repeat())
              .doOnNext(_ -> done.incrementAndGet())
              .then()
              .toFuture();
      CompletableFuture<Void> claim =
          engines
              .b()
              .counter(OTHER)
              .boundTo(engines.b().peer(engines.a().address()))
              .next(1)
              .toFuture();
      CabledEngines.until("a stream under way", () -> done.get() > SOME || stream.isDone());
      assertThat(stream).isNotDone();

      cut.act.accept(cables, 0);
      assertThatThrownBy(() -> stream.get(CabledEngines.LIMIT.toSeconds(), TimeUnit.SECONDS))
          .cause()
          .isInstanceOfSatisfying(
              PeerUnreachableException.class,
              lost -> assertThat(lost.peer()).isEqualTo(engines.b().id()));
      CabledEngines.complete(source.quiesced());
      assertThat(engines.a().stats().transfersInFlight()).as("transfers in flight").isZero();
      assertThat(claim).as("a claim of who can still be spoken to").isNotDone();

      cables.mend(0);
      Map<String, TransferException> ignored = CabledEngines.await(writes.round());
      assertThat(CabledEngines.await(writes.round()).keySet()).as("failures behind that").isEmpty();
      CabledEngines.await(engines.a().submit(WriteImm.of(source.whole(), target.whole(), OTHER)));
      claim.get(CabledEngines.LIMIT.toSeconds(), TimeUnit.SECONDS);
    }
  }

  @ParameterizedTest
  @EnumSource
  void withTwoNicsTransfersGoOnOverTheOther(Cut cut) throws Exception {
    try (Cables cables = new Cables();
        CabledEngines engines = new CabledEngines(2)) {
      CountedWrites writes = new CountedWrites(engines, engines.a(), engines.b(), WRITES);
      awaitCleanRoundOverBoth(engines, writes);

      int before = writes.done();
      CompletableFuture<Map<String, TransferException>> round = writes.round().toFuture();
      CabledEngines.until("a round under way", () -> writes.done() > before + SOME);
      cut.act.accept(cables, 0);
      assertThat(round.get(CabledEngines.LIMIT.toSeconds(), TimeUnit.SECONDS).values())
          .as("failures of what was on its way")
          .allSatisfy(IbverbsLinkIT::assertIsOfALostWay);

      long first = engines.trafficOfA(0).bytesPosted();
      long second = engines.trafficOfA(1).bytesPosted();
      Map<String, TransferException> meanwhile = CabledEngines.await(writes.round());
      assertThat(engines.trafficOfA(1).bytesPosted() - second)
          .as("bytes of the second NIC while the first one is cut off")
          .isGreaterThan(engines.trafficOfA(0).bytesPosted() - first);
      assertThat(meanwhile.values())
          .as("failures when the lost way is tried again")
          .allSatisfy(IbverbsLinkIT::assertIsOfALostWay);
      assertThat(engines.a().nics()).as("NICs that work").hasSize(2);

      cables.mend(0);
      awaitCleanRoundOverBoth(engines, writes);
    }
  }

  /** A write that was out when a way was lost, or one behind it under the same immediate. */
  private static void assertIsOfALostWay(TransferException failure) {
    if (!(failure instanceof PeerUnreachableException)) {
      assertThat(failure)
          .isInstanceOf(TransferRejectedException.class)
          .hasMessageContaining("is in doubt");
    }
  }

  /**
   * A way that was lost is tried again after a while, and one that was never used takes a while.
   */
  private static void awaitCleanRoundOverBoth(CabledEngines engines, CountedWrites writes) {
    long begin = System.nanoTime();
    boolean isClean = false;
    while (!isClean && System.nanoTime() - begin < CabledEngines.LIMIT.toNanos()) {
      List<Long> before = bytesOfA(engines);
      isClean =
          CabledEngines.await(writes.round()).isEmpty()
              && bytesOfA(engines).get(0) > before.get(0)
              && bytesOfA(engines).get(1) > before.get(1);
    }
    assertThat(isClean).as("a round over both NICs without failures").isTrue();
  }

  private static List<Long> bytesOfA(CabledEngines engines) {
    return List.of(engines.trafficOfA(0).bytesPosted(), engines.trafficOfA(1).bytesPosted());
  }
}
