package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.Operation;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Chapter 24, what a NIC withstands: use in both directions, reuse of sources, and long use. */
abstract class LeftoverRules extends RuleGroup {

  private static final int CYCLES = 20;
  private static final int WARM_UP = 5;

  LeftoverRules(TransferConformance kit) {
    super(kit);
  }

  @Test
  final void r24_8_aSourceIsNotReadAfterItsReport() {
    Wire wire = Wire.open(stage(), 1 << 20, 0);
    byte[] noise = wire.from().toArray(ValueLayout.JAVA_BYTE);
    byte[] before = wire.to().toArray(ValueLayout.JAVA_BYTE);
    int[] lengths = {1, 24, 100, 4_000, 65_000};
    int writes = 40;
    int stride = (1 << 20) / writes;
    int posted = 0;
    boolean[] overwritten = new boolean[writes];
    int[] length = new int[writes];
    while (posted < writes) {
      int index = posted++;
      length[index] = (int) wire.atMost(Math.min(stride, lengths[index % lengths.length]));
      Operation op = wire.write((long) index * stride, (long) index * stride, length[index], index);
      wire.post(op.withImm(index));
      overwriteReported(wire, overwritten, stride);
    }
    wire.until(
        "all reported and arrived",
        () -> {
          overwriteReported(wire, overwritten, stride);
          return wire.origin().reported() >= writes && wire.target().reported() >= writes;
        });
    wire.throughout(() -> {});
    for (int i = 0; i < writes; i++) {
      System.arraycopy(noise, i * stride, before, i * stride, length[i]);
    }
    assertThat(wire.to().mismatch(MemorySegment.ofArray(before)))
        .as("first byte that is not what the source had until its write was reported")
        .isEqualTo(-1);
  }

  private static void overwriteReported(Wire wire, boolean[] overwritten, int stride) {
    for (int index = 0; index < overwritten.length; index++) {
      if (!overwritten[index] && wire.origin().hasReported("written " + index)) {
        overwritten[index] = true;
        wire.from().asSlice((long) index * stride, stride).fill((byte) 0x5a);
      }
    }
  }

  @Test
  final void r24_9_trafficInBothDirectionsDoesNotMix() {
    int writes = 200;
    int stride = Wire.LENGTH / writes;
    Wire there = Wire.open(stage(), Wire.LENGTH, 0);
    Wire back = there.back();
    List<String> written = new ArrayList<>();
    List<String> arrived = new ArrayList<>();
    for (int i = 0; i < writes; i++) {
      long at = (long) i * stride;
      for (Wire wire : List.of(there, back)) {
        Operation op = wire.write(at, at, stride, i).withImm(i);
        if (!wire.origin()
            .call(nic -> nic.post(op).isTaken())) { // no turn between two writes if need not be
          wire.post(op);
        }
      }
      written.add("written " + i);
      arrived.add("imm " + i);
    }
    int all = 2 * writes;
    there.until(
        "everything in both directions",
        () -> there.origin().reported() >= all && there.target().reported() >= all);
    there.throughout(() ->
        assertThat(there.origin().reported() + there.target().reported())
            .as("reports of both NICs")
            .isEqualTo(2 * all));
    for (BareNic nic : List.of(there.origin(), there.target())) {
      assertThat(nic.reports()).containsAll(written).containsAll(arrived);
      assertThat(nic.reports()).noneMatch(report -> report.startsWith("failed"));
    }
    for (Wire wire : List.of(there, back)) {
      long length = (long) writes * stride;
      assertThat(wire.to().asSlice(0, length).mismatch(wire.from().asSlice(0, length)))
          .as("first byte that differs")
          .isEqualTo(-1);
    }
  }

  @Test
  final void r24_13_whatIsFreedIsNotToldAsDone() throws IOException {
    FreedMemory.expectNothingUntrue(stage());
  }

  @Test
  final void r24_10_aClosedNicLeavesNothing() {
    expectNothingLeft(() -> useAndClose(Footprint::openFiles));
  }

  @Test
  final void r24_10_aNicThatIsClosedWhileItConnectsLeavesNothing() {
    expectNothingLeft(this::closeWhileConnecting);
  }

  /** After a NIC was opened and closed by this, which returns the files in between. */
  private void expectNothingLeft(Supplier<Set<Path>> useAndClose) {
    assumeTrue(Footprint.canBeTaken(), "this process cannot look at itself");
    Set<Path> used = new HashSet<>();
    for (int i = 0; i < WARM_UP; i++) {
      used.addAll(useAndClose.get());
    }
    used.clear();
    Footprint before = Footprint.now();
    for (int i = 0; i < CYCLES; i++) {
      used.addAll(useAndClose.get());
    }
    used.removeAll(before.named());
    AtomicReference<String> left = new AtomicReference<>("");
    try {
      stage()
          .patience()
          .until(
              "nothing left",
              () -> {
                left.set(Footprint.now().leftSince(before, used, CYCLES));
                return left.get().isEmpty();
              });
    } catch (AssertionError e) {
      throw new AssertionError(
          "expected what there was before a NIC was opened and closed "
              + CYCLES
              + " times, got "
              + left,
          e);
    }
  }

  /** Returns what is found in between. */
  private <T> T useAndClose(Supplier<T> look) {
    Wire wire = Wire.open(stage(), 1_000, 0);
    for (int i = 0; i < 8; i++) {
      MemorySegment part = wire.to().asSlice(i * 64L, 64);
      wire.target().register(new HostMemory(part), Access.REMOTE_WRITE);
    }
    wire.connect();
    T found = look.get();
    wire.origin().close();
    wire.target().close();
    return found;
  }

  /** Nobody turns the other one; so the connection is on its way, where that needs its help. */
  private Set<Path> closeWhileConnecting() {
    Wire wire = Wire.open(stage(), 1_000, 0);
    wire.origin().call(nic -> nic.post(wire.write(0, 0, 1, 1)).isTaken());
    wire.turn(); // it may have to be told where to write
    wire.turn();
    wire.origin().call(nic -> nic.post(wire.write(0, 0, 1, 2)).isTaken());
    wire.origin().turn();
    Set<Path> found = Footprint.openFiles();
    wire.origin().close();
    wire.target().close();
    return found;
  }
}
