package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Chapter 24, what a NIC withstands: lengths, offsets and bounds. */
abstract class SizeRules extends RuleGroup {

  private static final long MIB = 1L << 20;
  private static final long GIB = 1L << 30;
  private static final int WINDOW = 64;

  /** What would take more time than this is left out: it takes a second or two on most NICs. */
  private static final double LONGEST_NANOS = 45e9;

  /** More than one byte can count. */
  private static final int REGIONS = 300;

  private static final int REGION_BYTES = 16;

  /** How many times as long as for a signal a write of 2 GiB is waited for. */
  private static final int LONG_WRITES = 6;

  SizeRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r24_1_aLongWriteComesWhole() {
    Wire wire = Wire.open(stage(), 16 * MIB + 100, 0);
    long longest = wire.atMost(16 * MIB);
    byte[] expected = wire.to().toArray(ValueLayout.JAVA_BYTE);
    long[] lengths = {
      (1 << 12) + 1, (1 << 16) - 1, (1 << 16) + 1, MIB - 1, MIB, MIB + 1, 2 * MIB + 7, longest
    };
    for (int i = 0; i < lengths.length; i++) {
      int length = (int) Math.min(lengths[i], longest);
      int from = 10 * i;
      int to = 3 * i + 1;
      wire.post(wire.write(from, to, length, i).withImm(i));
      String written = "written " + i;
      String arrived = "imm " + i;
      wire.until(
          "a write of " + length + " bytes",
          () -> wire.origin().hasReported(written) && wire.target().hasReported(arrived));
      MemorySegment.copy(wire.from(), ValueLayout.JAVA_BYTE, from, expected, to, length);
      assertThat(wire.to().mismatch(MemorySegment.ofArray(expected)))
          .as("first byte that is wrong after %s bytes were written to offset %s", length, to)
          .isEqualTo(-1);
    }
  }

  @Test
  final void r24_1_aVeryLongWriteComesWhole() {
    stage().requireNics(1);
    long length = 2 * GIB + WINDOW;
    long longest = Wire.open(stage(), WINDOW, 0).atMost(length);
    assumeTrue(
        longest == length,
        "the backend declares that its longest write is of " + longest + " bytes");
    Wire wire = sparse(3 * GIB);
    for (long at : new long[] {0, GIB, length - WINDOW}) {
      byte[] noise = new byte[WINDOW];
      stage().random().nextBytes(noise);
      MemorySegment.copy(noise, 0, wire.from(), ValueLayout.JAVA_BYTE, at, WINDOW);
    }
    wire.post(wire.write(0, GIB / 2, length, 1));
    long deadline = System.nanoTime() + LONG_WRITES * stage().patience().signal().toNanos();
    while (!wire.origin().hasReported("written 1") && System.nanoTime() - deadline < 0) {
      wire.turn();
    }
    assertThat(wire.origin().reports()).containsExactly("written 1");
    for (long at : new long[] {0, GIB, length - WINDOW}) {
      wire.until(
          "bytes at offset " + at + " of a write of " + length,
          () -> Arrays.equals(bytes(wire.from(), at), bytes(wire.to(), GIB / 2 + at)));
    }
  }

  @Test
  final void r24_11_aConnectionCarriesAnyAmount() {
    Wire wire = Wire.open(stage(), 4 * MIB, 0);
    long length = wire.atMost(4 * MIB);
    assumeTrue(
        length >= MIB, "the backend declares that its longest write is of " + length + " bytes");
    long all = 2 * GIB + 64 * MIB;
    long begin = System.nanoTime();
    long carried = 0;
    for (int i = 1; carried < all; i++) {
      if (carried >= 64 * MIB) { // by now it is known how fast it is
        double nanos = (double) (System.nanoTime() - begin) / carried * all;
        assumeTrue(nanos < LONGEST_NANOS, "it would take " + Math.round(nanos / 1e9) + " s");
      }
      for (long at : new long[] {0, length - Long.BYTES}) {
        wire.from().set(ValueLayout.JAVA_LONG_UNALIGNED, at, i);
      }
      wire.post(wire.write(0, 0, length, i).withImm(i));
      int reports = i;
      wire.until(
          "a write after " + carried + " bytes",
          () -> wire.origin().reported() == reports && wire.target().reported() == reports);
      for (long at : new long[] {0, length - Long.BYTES}) {
        assertThat(wire.to().get(ValueLayout.JAVA_LONG_UNALIGNED, at))
            .as("what was written to offset %s after %s bytes", at, carried)
            .isEqualTo(i);
      }
      carried += length;
    }
    assertThat(wire.origin().reports()).allMatch(report -> report.startsWith("written "));
  }

  private Wire sparse(long length) {
    try {
      return Wire.open(stage(), stage().sparse(length), stage().sparse(length), 0);
    } catch (IOException e) {
      return abort("this machine has no sparse memory of " + length + " bytes: " + e);
    }
  }

  @Test
  final void r24_2_memoryIsAsLargeAsItIs() {
    long length = 4 * GIB + MIB;
    Wire wire = sparse(length);
    long[] offsets = {
      0, 2 * GIB - WINDOW / 2, 2 * GIB, 4 * GIB - WINDOW / 2, 4 * GIB, length - WINDOW
    };
    for (int i = 0; i < offsets.length; i++) {
      byte[] noise = new byte[WINDOW];
      stage().random().nextBytes(noise);
      long from = offsets[i];
      long to = offsets[(i + 2) % offsets.length];
      MemorySegment.copy(noise, 0, wire.from(), ValueLayout.JAVA_BYTE, from, WINDOW);
      long[] watched = {to & 0x7fff_ffffL, to & 0xffff_ffffL, from};
      List<byte[]> before = new ArrayList<>();
      for (long at : watched) {
        before.add(bytes(wire.to(), at));
      }
      wire.post(wire.write(from, to, WINDOW, i).withImm(i));
      String arrived = "imm " + i;
      wire.until("an arrival", () -> wire.target().hasReported(arrived));
      assertThat(bytes(wire.to(), to))
          .as("what was written from offset %s to offset %s", from, to)
          .isEqualTo(noise);
      for (int j = 0; j < watched.length; j++) {
        if (Math.abs(watched[j] - to) >= WINDOW) {
          assertThat(bytes(wire.to(), watched[j]))
              .as("bytes at offset %s after a write to %s", watched[j], to)
              .isEqualTo(before.get(j));
        }
      }
    }
  }

  private static byte[] bytes(MemorySegment memory, long at) {
    return memory
        .asSlice(at, Math.min(WINDOW, memory.byteSize() - at))
        .toArray(ValueLayout.JAVA_BYTE);
  }

  @Test
  final void r24_3_boundsAreExact() {
    stage().require(Capability.TARGET_CHECKS);
    int length = Wire.LENGTH;
    MemorySegment around = stage().memory(3L * length);
    Wire wire =
        Wire.open(
            stage(),
            stage().memory(length),
            around.asSlice(length, length),
            Long.MAX_VALUE - length);
    byte[] before = around.toArray(ValueLayout.JAVA_BYTE);
    long[][] outside = {
      {length, 1},
      {length - 1, 2},
      {length - 8, 9},
      {-1, 1},
      {-1, 2},
      {-8, 8},
      {Long.MAX_VALUE, 1},
      {Long.MAX_VALUE - 4, 8},
      {Long.MIN_VALUE, 8},
      {1L << 31, 8},
      {1L << 32, 8},
      {(1L << 32) + 16, 8}
    };
    int token = 0;
    for (long[] range : outside) {
      expectRefused(wire, wire.write(0, range[0], range[1], token).withImm(token++));
      assertThat(around.mismatch(MemorySegment.ofArray(before)))
          .as("first byte that %s bytes at offset %s have changed", range[1], range[0])
          .isEqualTo(-1);
    }
    for (long[] range : new long[][] {{length, 0}, {length - 1, 1}, {0, wire.atMost(length)}}) {
      String written = "written " + token;
      wire.post(wire.write(0, range[0], range[1], token++));
      wire.until(
          range[1] + " bytes at offset " + range[0], () -> wire.origin().hasReported(written));
    }
    assertThat(wire.target().reports()).as("what came to the target").noneMatch(SizeRules::isImm);
  }

  private static boolean isImm(String report) {
    return report.startsWith("imm ");
  }

  /** The origin's NIC may throw, or the write fails; it is not done. */
  private static void expectRefused(Wire wire, Operation op) {
    AtomicReference<Boolean> done = new AtomicReference<>(false);
    wire.until(
        "a write to be refused for good",
        () -> {
          RuntimeException thrown =
              done.get() ? null : wire.origin().attempt(nic -> done.set(nic.post(op).isTaken()));
          return thrown != null || done.get();
        });
    if (done.get()) {
      wire.awaitRefusal(op);
    }
  }

  @Test
  final void r24_4_memoryThatIsASourceIsNotWritten() {
    stage().require(Capability.TARGET_CHECKS);
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    MemorySegment memory = stage().memory(Wire.LENGTH);
    byte[] before = memory.toArray(ValueLayout.JAVA_BYTE);
    LocalMemory local = wire.target().register(new HostMemory(memory), Access.LOCAL);
    AtomicReference<byte[]> key = new AtomicReference<>(new byte[0]);
    wire.target().attempt(nic -> key.set(local.key()));
    AtomicReference<RemoteMemory> remote = new AtomicReference<>();
    RuntimeException refusal =
        wire.origin()
            .attempt(
                nic -> remote.set(nic.resolve(wire.ends().peer(), key.get(), memory.byteSize())));
    if (refusal == null) {
      Operation op = wire.write(0, 0, 100, 1).withImm(1);
      expectRefused(wire, op.between(op.local(), remote.get()));
    }
    wire.throughout(() ->
        assertThat(memory.mismatch(MemorySegment.ofArray(before)))
            .as("first byte of memory that is a source, and was changed")
            .isEqualTo(-1));
    assertThat(wire.target().reports()).noneMatch(SizeRules::isImm);
  }

  @Test
  final void r24_12_manyRegionsAreToldApart() {
    Wire wire = Wire.open(stage(), (long) REGIONS * REGION_BYTES, 0);
    wire.connect();
    MemorySegment memory = stage().memory((long) REGIONS * REGION_BYTES);
    List<RemoteMemory> regions = new ArrayList<>();
    BackendException refusal = null;
    for (int i = 0; i < REGIONS && refusal == null; i++) {
      HostMemory part = new HostMemory(memory.asSlice((long) i * REGION_BYTES, REGION_BYTES));
      try {
        byte[] key = wire.target().register(part, Access.REMOTE_WRITE).key();
        regions.add(wire.origin().call(nic -> nic.resolve(wire.ends().peer(), key, REGION_BYTES)));
      } catch (BackendException full) {
        refusal = full; // a card may have no room for so many
      }
    }
    assertThat(regions.size())
        .as("regions besides one more that the NIC has room for, to be told apart (%s)", refusal)
        .isGreaterThan(1);
    for (int i = 0; i < regions.size(); i++) {
      Operation op = wire.write((long) i * REGION_BYTES, 0, REGION_BYTES, i);
      wire.post(op.between(op.local(), regions.get(i)));
    }
    wire.until("all reported", () -> wire.origin().reported() > regions.size());
    long length = (long) regions.size() * REGION_BYTES;
    MemorySegment from = wire.from().asSlice(0, length);
    MemorySegment to = memory.asSlice(0, length);
    wire.requireLanded(
        regions.size() + " regions of " + REGION_BYTES + " bytes", () -> to.mismatch(from));
  }
}
