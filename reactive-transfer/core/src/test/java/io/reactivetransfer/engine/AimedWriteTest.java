package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Outcome;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Probe;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import reactor.core.publisher.Flux;

/** Writes that are aimed anew for each time. */
class AimedWriteTest {

  private static final Imm IMM = Imm.of(3);

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  @Test
  void eachTimeItWritesWhatItIsAimedAt() {
    hand.open(1);
    MemoryRegion source = hand.region();
    AimedWrite write = AimedWrite.between(source, hand.remote(1), IMM);
    Upstream<AimedWrite> upstream = new Upstream<>();
    Probe<AimedWrite> probe = hand.probe(hand.engine().submit(upstream), Probe.unbounded());
    for (int i = 0; i < 3; i++) {
      upstream.emit(write.aim(10 + i, 100 + i, 5 * i));
      hand.turn();
      assertThat(hand.inFlight()).hasSize(1);
      ScriptedNic.Piece piece = hand.inFlight().getFirst();
      assertThat(piece.counted()).isTrue();
      assertThat(List.of(piece.sourceOffset(), piece.targetOffset(), piece.length()))
          .containsExactly(10L + i, 100L + i, 5L * i);
      hand.completeAll();
    }
    assertThat(probe.items()).containsExactly(write, write, write);
    upstream.complete();
    hand.turn();
    probe.assertComplete();
  }

  @ParameterizedTest
  @CsvSource({"-1,0,1", "0,-1,1", "0,0,-1", "1,0,%d", "0,1,%d", "0,0,9223372036854775807"})
  void aimingBeyondTheRegionsChangesNothing(String source, String target, String length) {
    hand.open(1);
    MemoryRegion region = hand.region();
    AimedWrite write = AimedWrite.between(region, hand.remote(1), IMM).aim(1, 2, 3);
    long bytes = Long.parseLong(length.replace("%d", Long.toString(region.length())));
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> write.aim(Long.parseLong(source), Long.parseLong(target), bytes));
    assertThat(List.of(write.sourceOffset(), write.targetOffset(), write.length()))
        .containsExactly(1L, 2L, 3L);
  }

  @Test
  void itSaysWhatItIs() {
    hand.open(1);
    AimedWrite write = AimedWrite.between(hand.region(), hand.remote(1), IMM).aim(1, 2, 3);
    assertThat(write.imm()).isEqualTo(IMM);
    assertThat(write.arrivals()).isEqualTo(1);
    assertThat(write).asString().contains("length=3").contains("at 1").contains("at 2");
  }

  @Test
  void aSourceThatIsClosedIsRejected() {
    hand.open(1);
    MemoryRegion source = hand.region();
    AimedWrite write = AimedWrite.between(source, hand.remote(1), IMM).aim(0, 0, 8);
    hand.probe(source.close());
    hand.settle();
    Probe<Outcome<Transfer>> probe =
        hand.probe(hand.engine().submitEach(Flux.<Transfer>just(write)));
    hand.turn();
    assertThat(probe.assertComplete().items().getFirst())
        .extracting(Outcome::failure)
        .isInstanceOf(TransferRejectedException.class);
  }

  @Test
  void ofAnotherEngineItIsRefusedAtOnce() {
    hand.open(1);
    EngineByHand other = new EngineByHand().open(1);
    AimedWrite write = AimedWrite.between(other.region(), hand.remote(1), IMM);
    assertThatExceptionOfType(TransferRejectedException.class)
        .isThrownBy(() -> hand.engine().submit(write));
    other.end();
  }

  @Test
  void itDoesNotCountWhenItFails() {
    hand.open(1);
    AimedWrite write = AimedWrite.between(hand.region(), hand.remote(1), IMM).aim(0, 0, 8);
    Probe<AimedWrite> probe = hand.probe(hand.engine().submit(write));
    hand.turn();
    hand.fail(hand.inFlight().getFirst());
    hand.settle();
    assertThat(probe.error()).isNotNull();
  }
}
