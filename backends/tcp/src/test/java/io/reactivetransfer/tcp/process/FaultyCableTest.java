package io.reactivetransfer.tcp.process;

import static io.reactivetransfer.tcp.process.Local.FOUND;
import static io.reactivetransfer.tcp.process.Local.LIVENESS;
import static io.reactivetransfer.tcp.process.Local.LONG;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.Imm;
import io.reactivetransfer.PeerState;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferException;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.tck.process.EngineProcess;
import io.reactivetransfer.tck.process.EngineProgram;
import io.reactivetransfer.tck.process.Waiting;
import io.reactivetransfer.tcp.CabledBackend;
import io.reactivetransfer.tcp.TcpBackend;
import io.reactivetransfer.tcp.faults.Cable;
import io.reactivetransfer.tcp.faults.Direction;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;

/** Another process that is written to through cables, and what happens to these. */
class FaultyCableTest {

  private static final int BYTES = 1 << 20;
  private static final Imm IMM = Imm.of(7);

  /** After the fault: what was under way left the first one in doubt. */
  private static final Imm LATER = Imm.of(8);

  private final CabledBackend backend = CabledBackend.over(new TcpBackend());
  private final EngineOptions.Builder options = Local.options().transferDeadline(LIVENESS);
  private final Local local = Local.open(BYTES, options, backend);
  private final EngineProcess child = TcpProgram.start();
  private RemoteRegion target;

  @BeforeEach
  void connect() {
    target = local.remote(child.memory("m", BYTES));
    local.memory.fill((byte) 1);
    local.write(WriteImm.of(local.region.whole(), target.whole(), IMM));
  }

  @AfterEach
  void close() {
    child.close();
    local.close();
  }

  private List<Cable> cables() {
    return backend.cables(local.engine.id(), child.id());
  }

  /** The stream fails, the memory is given back on both sides, and nothing touches it then. */
  private void assertEnds(Consumer<Cable> fault) {
    WriteImm write = WriteImm.of(local.region.whole(), target.whole(), IMM);
    CompletableFuture<Long> stream =
        local.engine.submit(Flux.just(write).repeat()).count().toFuture();
    child.call("count", IMM.value(), 20);

    cables().forEach(fault);

    assertThat(Waiting.failure(stream, FOUND)).isInstanceOf(TransferException.class);
    local.region.quiesced().block(LONG);
    local.memory.fill((byte) 2);
    RegionDescriptor renewed = EngineProgram.descriptor(child.call("revoke-and-fill", "m", 9));
    cables().forEach(Cable::mend);
    local.await(child, PeerState.Alive.class);
    RemoteRegion other = local.remote(child.memory("n", BYTES));
    local.write(WriteImm.of(local.region.whole(), other.whole(), LATER));
    assertThat(child.call("values", "n")).isEqualTo("2");
    assertThat(child.call("values", "m")).as("memory that was given back").isEqualTo("9");
    local.write(WriteImm.of(local.region.whole(), local.remote(renewed).whole(), LATER));
    assertThat(child.call("values", "m")).isEqualTo("2");
  }

  @Test
  void aResetEndsWhatIsUnderWayAndNothingElse() {
    assertEnds(Cable::reset);
  }

  @Test
  void aStallEndsWhatIsUnderWayAndNothingElse() {
    assertEnds(Cable::stall);
  }

  @Test
  void aHalfCloseEndsWhatIsUnderWayAndNothingElse() {
    assertEnds(cable -> cable.halfClose(Direction.TO_TARGET));
  }

  /** Heads only: bytes that are in them may come to the memory that the writes are for. */
  @Test
  void flippedBitsHarmNoOtherMemory() {
    long seed = Long.getLong("faults.seed", new Random().nextLong());
    System.out.println("faults.seed=" + seed);
    Random random = new Random(seed);
    RemoteRegion beside = local.remote(child.memory("beside", BYTES));
    cables()
        .forEach(cable ->
            cable.tap(
                Direction.TO_TARGET,
                (_, bytes, offset, length) ->
                    bytes[offset + random.nextInt(length)] ^= (byte) (1 << random.nextInt(8))));
    for (int round = 0; round < 5; round++) {
      Imm imm = Imm.of(100 + round); // the one before may be in doubt
      WriteImm small = WriteImm.of(local.region.slice(0, 0), target.slice(0, 0), imm);
      var stream = local.engine.submit(Flux.just(small).repeat(999)).count().toFuture();
      assertThat(stream.handle((count, error) -> true).orTimeout(40, TimeUnit.SECONDS).join())
          .isTrue();
    }
    cables().forEach(Cable::mend);

    child.call("values", "m"); // nothing was written beside it
    assertThat(child.call("values", "beside")).isEqualTo("0");
    local.memory.fill((byte) 3);
    local.write(WriteImm.of(local.region.whole(), beside.whole(), LATER));
    assertThat(child.call("values", "beside")).isEqualTo("3");
  }
}
