package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/**
 * Chapter 24, what a NIC withstands: memory that is taken from it while writes are half-way in. No
 * poll of its own helps it.
 */
abstract class HalfWayRules extends RuleGroup {

  /** What is written late comes from here, so that it can be told from what was there before. */
  private static final int OTHERWISE = 5_000;

  private static final int ROUNDS = 4;
  private static final long WRITE_BYTES = 3L << 20;
  private static final int WRITES = 2;
  private static final int REGISTRATIONS = 4;

  /** Of memory. */
  static final long BYTES = WRITES * WRITE_BYTES;

  HalfWayRules(TransferConformance kit) {
    super(kit);
  }

  /**
   * What is written, where from and where to.
   *
   * @param anew of which no byte is that of the noise in its place
   */
  private record Memory(
      MemorySegment from, MemorySegment to, MemorySegment noise, MemorySegment anew) {}

  private Memory memory() {
    MemorySegment from = stage().memory(BYTES);
    from.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
    MemorySegment noise = MemorySegment.ofArray(from.toArray(ValueLayout.JAVA_BYTE));
    MemorySegment anew = MemorySegment.ofArray(new byte[(int) BYTES]);
    for (long at = 0; at < BYTES; at += Long.BYTES) {
      long there = noise.get(ValueLayout.JAVA_LONG_UNALIGNED, at);
      anew.set(ValueLayout.JAVA_LONG_UNALIGNED, at, ~there);
    }
    return new Memory(from, stage().memory(BYTES), noise, anew);
  }

  /** Writes of which the first has begun to change the target's memory. */
  private static int beginWrites(Wire wire, Memory memory, int moreTurns) {
    memory.from().copyFrom(memory.noise());
    memory.to().fill((byte) 0);
    wire.connect();
    memory.to().fill((byte) 0);
    int length = (int) wire.atMost(WRITE_BYTES);
    int taken = 0;
    for (int i = 0; i < WRITES; i++) {
      var op = wire.write((long) i * length, (long) i * length, length, i).withImm(i);
      if (i == 0) {
        wire.post(op);
        taken++;
      } else if (wire.origin().call(nic -> nic.post(op).isTaken())) {
        taken++;
      }
    }
    wire.until(
        "a write to begin",
        () -> memory.to().get(ValueLayout.JAVA_BYTE, 0) == 1 || wire.origin().reported() > 1);
    for (int turn = 0; turn < moreTurns; turn++) {
      wire.origin().turn();
      wire.target().turn();
    }
    return taken;
  }

  /** What lies there when the NIC has done it, which is polled only if it takes its time. */
  private static byte[] memoryAfter(
      Wire wire, Memory memory, Function<Domain, CompletionStage<?>> begin) {
    List<CompletableFuture<?>> begun = new ArrayList<>();
    AtomicBoolean wasDone = new AtomicBoolean();
    byte[] there =
        wire.target()
            .call(nic -> {
              CompletableFuture<?> stage = begin.apply(nic).toCompletableFuture();
              begun.add(stage);
              wasDone.set(stage.isDone()); // before it is looked what lies there
              return memory.to().toArray(ValueLayout.JAVA_BYTE);
            });
    CompletableFuture<?> stage = begun.getFirst();
    if (!wasDone.get()) {
      wire.until("the NIC to have done it", stage::isDone);
      there = wire.target().call(nic -> memory.to().toArray(ValueLayout.JAVA_BYTE));
    }
    stage.join();
    return there;
  }

  private static void expectUnchanged(String after, Memory memory, byte[] expected) {
    assertThat(memory.to().mismatch(MemorySegment.ofArray(expected)))
        .as("first byte that changed after %s had returned", after)
        .isEqualTo(-1);
  }

  /** What was reported as done, or as arrived, was there. */
  private static void expectHonest(Wire wire, Memory memory, byte[] there, int taken) {
    boolean delivered = wire.delivers();
    List<String> done = wire.origin().reports();
    List<String> arrived = wire.target().reports();
    int length = (int) wire.atMost(WRITE_BYTES);
    for (int i = 0; i < taken; i++) {
      long at = (long) i * length;
      boolean complete =
          MemorySegment.mismatch(
                  MemorySegment.ofArray(there), at, at + length, memory.noise(), at, at + length)
              < 0;
      if ((delivered && done.contains("written " + i)) || arrived.contains("imm " + i)) {
        assertThat(complete).as("write %s was told to be there: its bytes", i).isTrue();
      }
    }
  }

  private void takeAway(String how, Taking taking) {
    stage().require(Capability.REVOCATION);
    Memory memory = memory();
    for (int round = 0; round < ROUNDS; round++) {
      Wire wire = Wire.open(stage(), memory.from(), memory.to(), 0);
      int taken = beginWrites(wire, memory, round);
      byte[] there = memoryAfter(wire, memory, nic -> taking.take(nic, wire.ends().local()));
      byte[] after = keepOrFill(round, memory, there);
      // What has landed stays there, so it is looked at when the time is over.
      stage().patience().turning(wire.origin()::turn);
      expectUnchanged(how, memory, after);
      stage().patience().turning(wire::turn);
      expectUnchanged(how, memory, after);
      wire.until("a report of each write", () -> ended(wire) >= taken + 1);
      expectHonest(wire, memory, there, taken);
      var late = wire.write(OTHERWISE, 0, 100, 99).withImm(99);
      wire.post(late);
      wire.awaitRefusal(late);
      stage().patience().turning(wire::turn);
      expectUnchanged(how, memory, after);
      assertThat(wire.target().reports()).doesNotContain("imm 99");
      wire.origin().close();
      wire.target().close();
    }
  }

  /**
   * Memory that stays as it was shows what lands at once; one that is filled anew shows that the
   * same bytes come again. Returns what has to lie there from then on.
   */
  private static byte[] keepOrFill(int round, Memory memory, byte[] there) {
    if (round < ROUNDS / 2) {
      return there;
    }
    memory.to().copyFrom(memory.anew());
    return memory.anew().toArray(ValueLayout.JAVA_BYTE);
  }

  private static long ended(Wire wire) {
    return wire.origin().reports().stream().filter(report -> !report.startsWith("lost")).count();
  }

  /** Takes memory from a NIC. */
  private interface Taking {
    CompletionStage<?> take(Domain nic, LocalMemory memory);
  }

  @Test
  final void r24_5_nothingLandsAfterRevokeHasReturned() {
    takeAway("revoke", Domain::revoke);
  }

  @Test
  final void r24_6_nothingLandsAfterDeregisterHasReturned() {
    takeAway("deregister", Domain::deregister);
  }

  @Test
  final void r24_6_anOldKeyDoesNotOpenWhatIsRegisteredNext() {
    stage().require(Capability.REVOCATION);
    stage().require(Capability.SECRET_KEYS);
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    wire.connect();
    MemorySegment memory = stage().memory(1_000);
    HostMemory host = new HostMemory(memory);
    byte[] before = memory.toArray(ValueLayout.JAVA_BYTE);
    List<RemoteMemory> old = new ArrayList<>();
    for (int i = 0; i < REGISTRATIONS; i++) {
      LocalMemory local = wire.target().register(host, Access.REMOTE_WRITE);
      old.add(resolve(wire, local, memory));
      wire.target().deregister(local);
    }
    LocalMemory present = wire.target().register(host, Access.REMOTE_WRITE);
    RemoteMemory open = resolve(wire, present, memory);
    for (int i = 0; i < REGISTRATIONS; i++) {
      Operation op = wire.write(0, 0, 100, i).withImm(i);
      wire.post(op.between(op.local(), old.get(i)));
      wire.awaitRefusal(op);
    }
    wire.throughout(() -> {
      assertThat(wire.target().reports()).as("what came under old keys").isEmpty();
      assertThat(memory.mismatch(MemorySegment.ofArray(before)))
          .as("first byte that changed under a key of an earlier registration")
          .isEqualTo(-1);
    });
    Operation op = wire.write(0, 0, 100, 99);
    wire.post(op.between(op.local(), open));
    wire.until("a write under the present key", () -> wire.origin().hasReported("written 99"));
  }

  private static RemoteMemory resolve(Wire wire, LocalMemory local, MemorySegment memory) {
    byte[] key = local.key();
    return wire.origin().call(nic -> nic.resolve(wire.ends().peer(), key, memory.byteSize()));
  }

  @Test
  final void r24_7_nothingIsTouchedAfterCloseHasReturned() {
    Memory memory = memory();
    for (int round = 0; round < ROUNDS; round++) {
      Wire wire = Wire.open(stage(), memory.from(), memory.to(), 0);
      beginWrites(wire, memory, round);
      if (round % 2 == 0) {
        wire.target().close();
        byte[] there = memory.to().toArray(ValueLayout.JAVA_BYTE);
        byte[] after = keepOrFill(round, memory, there);
        stage().patience().turning(wire.origin()::turn);
        expectUnchanged("close", memory, after);
      } else {
        wire.origin().close();
        byte[] there = memory.to().toArray(ValueLayout.JAVA_BYTE);
        byte marker = 0x5a;
        memory.from().fill(marker);
        stage().patience().turning(wire.target()::turn);
        expectNoMarker(memory, there, marker);
        wire.target().close();
      }
      wire.origin().close();
    }
  }

  /** What changed since is what the source had before it was overwritten. */
  private static void expectNoMarker(Memory memory, byte[] before, byte marker) {
    byte[] now = memory.to().toArray(ValueLayout.JAVA_BYTE);
    int first = Arrays.mismatch(now, before);
    for (int at = first < 0 ? now.length : first; at < now.length; at++) {
      if (now[at] != before[at] && now[at] != memory.noise().get(ValueLayout.JAVA_BYTE, at)) {
        throw new AssertionError(
            "expected what the source had before its NIC was closed, got byte "
                + now[at]
                + " at offset "
                + at
                + (now[at] == marker ? ", which was put there afterwards" : ""));
      }
    }
  }
}
