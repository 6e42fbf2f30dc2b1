package io.reactivetransfer.tcp.process;

import static io.reactivetransfer.tcp.process.Local.FOUND;
import static io.reactivetransfer.tcp.process.Local.LIVENESS;
import static io.reactivetransfer.tcp.process.Local.LONG;
import static org.assertj.core.api.Assertions.assertThat;

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
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import reactor.core.publisher.Flux;

/** Another process that is written to through cables, and what happens to these. */
// A usual build has processes that are cut off by the rules about those.
@Tag("merge")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FaultyCableTest {

  private static final int BYTES = 1 << 20;

  /** Times that bits are flipped. */
  private static final int ROUNDS = 2 * Integer.getInteger("reactivetransfer.rounds", 1);

  /** One after the other, with another origin in each test. */
  private final EngineProcess child = TcpProgram.start();

  private int tests;
  private String name;
  private Imm imm;

  /** After the fault: what was under way left the first one in doubt. */
  private Imm later;

  private CabledBackend backend;
  private Local local;
  private RemoteRegion target;

  @BeforeEach
  void connect() {
    tests++;
    name = "m" + tests;
    imm = Imm.of(10 * tests);
    later = Imm.of(10 * tests + 1);
    backend = CabledBackend.over(new TcpBackend());
    local = Local.open(BYTES, Local.options().transferDeadline(LIVENESS), backend);
    target = local.remote(child.memory(name, BYTES));
    local.memory.fill((byte) 1);
    local.write(WriteImm.of(local.region.whole(), target.whole(), imm));
  }

  @AfterEach
  void closeOrigin() {
    local.close();
  }

  @AfterAll
  void close() {
    child.close();
  }

  private List<Cable> cables() {
    return backend.cables(local.engine.id(), child.id());
  }

  /** The stream fails, the memory is given back on both sides, and nothing touches it then. */
  private void assertEnds(Consumer<Cable> fault) {
    WriteImm write = WriteImm.of(local.region.whole(), target.whole(), imm);
    CompletableFuture<Long> stream =
        local.engine.submit(Flux.just(write).repeat()).count().toFuture();
    child.call("count", imm.value(), 20);

    cables().forEach(fault);

    assertThat(Waiting.failure(stream, FOUND)).isInstanceOf(TransferException.class);
    local.region.quiesced().block(LONG);
    local.memory.fill((byte) 2);
    RegionDescriptor renewed = EngineProgram.descriptor(child.call("revoke-and-fill", name, 9));
    cables().forEach(Cable::mend);
    local.await(child, PeerState.Alive.class);
    String next = "next" + tests;
    RemoteRegion other = local.remote(child.memory(next, BYTES));
    local.write(WriteImm.of(local.region.whole(), other.whole(), later));
    assertThat(child.call("values", next)).isEqualTo("2");
    assertThat(child.call("values", name)).as("memory that was given back").isEqualTo("9");
    local.write(WriteImm.of(local.region.whole(), local.remote(renewed).whole(), later));
    assertThat(child.call("values", name)).isEqualTo("2");
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
    for (int round = 0; round < ROUNDS; round++) {
      Imm fresh = Imm.of(1_000 + round); // the one before may be in doubt
      WriteImm small = WriteImm.of(local.region.slice(0, 0), target.slice(0, 0), fresh);
      var stream = local.engine.submit(Flux.just(small).repeat(999)).count().toFuture();
      assertThat(stream.handle((count, error) -> true).orTimeout(40, TimeUnit.SECONDS).join())
          .isTrue();
    }
    cables().forEach(Cable::mend);

    child.call("values", name); // nothing was written beside it
    assertThat(child.call("values", "beside")).isEqualTo("0");
    local.memory.fill((byte) 3);
    local.write(WriteImm.of(local.region.whole(), beside.whole(), later));
    assertThat(child.call("values", "beside")).isEqualTo("3");
  }
}
