package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chapter 17, continued: what lies at the declared maxima and beyond. */
abstract class DriverLimitRules extends RuleGroup {

  /** Writes that are tried beyond the declared depth. */
  private static final int BEYOND = 100;

  /** So often one NIC is turned while the other does not look. */
  private static final int TURNS_ALONE = 300;

  /** A longer write is not tried. */
  private static final long MAX_TRIED_BYTES = (1L << 24) + 1;

  /** Writes that are given to a NIC before it is flushed, if it takes them, and how often. */
  private static final int RUN = 20;

  private static final int FLUSHES = 3;

  /** Bytes of memory for rows. */
  static final long ROWS_LENGTH = 400_000;

  DriverLimitRules(TransferConformance kit) {
    super(kit);
  }

  private static Capabilities capabilities(Wire wire) {
    return wire.origin().call(nic -> nic.capabilities());
  }

  @Test
  final void r17_2_ofThousandsNoneIsMissingOrDouble() {
    ManyImmediates.expectEachOnce(stage());
  }

  @Test
  final void r17_10_whatIsTakenOverBeyondTheDepthIsReported() {
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    wire.connect();
    int most = Math.min(capabilities(wire).queueDepth(), 1 << 16) + BEYOND;
    List<String> taken = new ArrayList<>();
    for (long token = 0; token < most; token++) {
      var op = wire.write(0, 0, 16, token).withImm((int) token);
      if (wire.origin().call(nic -> nic.post(op).isTaken())) {
        taken.add("written " + token);
      }
    }
    for (int turn = 0; turn < TURNS_ALONE; turn++) {
      wire.target().turn(); // what is settled meanwhile waits for the origin
    }
    wire.until("all reported", () -> wire.origin().reported() > taken.size());
    wire.until("all arrived", () -> wire.target().reported() >= taken.size());
    wire.throughout(
        () -> assertThat(wire.origin().reported()).as("reports").isEqualTo(taken.size() + 1));
    assertThat(wire.origin().reports().subList(1, taken.size() + 1))
        .containsExactlyInAnyOrderElementsOf(taken);
    assertThat(wire.target().reports()).hasSize(taken.size()).doesNotHaveDuplicates();
  }

  private static Wire openForRows(Wire wire) {
    assumeTrue(capabilities(wire).maxRows() > 1, "the NIC carries one row at once");
    wire.connect();
    return wire;
  }

  @Test
  final void r17_29_rowsComeToTheirPlacesAndAreToldOnce() {
    Wire wire = openForRows(Wire.open(stage(), ROWS_LENGTH, 0));
    int most = capabilities(wire).maxRows();
    long[][] shapes = { // rows, their length, their strides
      {2, 1, 1, 2},
      {2, 16, 100, 16},
      {Math.min(most, 8), 4_096, 5_000, 4_097},
      {Math.min(most, 100), 700, 700, 1_001},
      {Math.min(most, 3), 70_000, 70_001, 90_000},
      {Math.min(most, 60_000), 1, 3, 5},
    };
    MemorySegment expected = MemorySegment.ofArray(wire.to().toArray(ValueLayout.JAVA_BYTE));
    long longest = wire.atMost(ROWS_LENGTH);
    for (int token = 1; token <= shapes.length; token++) {
      long[] shape = shapes[token - 1];
      int rows = (int) shape[0];
      long length = Math.max(1, Math.min(shape[1], longest / rows));
      rows = (int) Math.min(rows, longest / length);
      long offset = 13L * token;
      for (int row = 0; row < rows; row++) {
        long to = offset + row * shape[3];
        MemorySegment.copy(wire.from(), 7 + row * shape[2], expected, to, length);
      }
      Operation op = wire.write(7, offset, rows * length, token).withImm(token);
      wire.post(op.inRows(rows, shape[2], shape[3]));
      op.range(0, 0, 0).token(4_711); // what was posted was copied
      String imm = "imm " + token;
      wire.until("the immediate of rows", () -> wire.target().hasReported(imm));
      assertThat(wire.to().mismatch(expected))
          .as("first byte that differs when %s rows of %s bytes were counted", rows, length)
          .isEqualTo(-1);
      String written = "written " + token;
      wire.until("a report of rows", () -> wire.origin().hasReported(written));
    }
    wire.throughout(
        () -> assertThat(wire.origin().reported()).as("reports").isEqualTo(1 + shapes.length));
    assertThat(wire.target().reports()).as("immediates").hasSize(shapes.length);
    assertThat(wire.to().mismatch(expected)).as("first byte that has changed").isEqualTo(-1);
  }

  @Test
  final void r17_36_rowsOfAListComeInItsOrderAndAreToldOnce() {
    Wire wire = Wire.open(stage(), ROWS_LENGTH, 0);
    int most = capabilities(wire).maxGather();
    assumeTrue(most > 1, "the NIC gathers no rows");
    wire.connect();
    GatheredRows rows = new GatheredRows(wire, most, stage().random());
    rows.write();
    wire.throughout(rows::requireToldOnce);
  }

  @Test
  final void r17_30_theTargetChecksAllRows() {
    stage().require(Capability.TARGET_CHECKS);
    Wire wire = openForRows(Wire.open(stage(), Wire.LENGTH, Long.MAX_VALUE - Wire.LENGTH));
    byte[] before = wire.to().toArray(ValueLayout.JAVA_BYTE);
    long[][] ranges = { // offset, stride of two rows of 10 bytes
      {Wire.LENGTH - 29, 20},
      {Wire.LENGTH - 10, 10},
      {0, Wire.LENGTH - 9},
      {0, Long.MAX_VALUE},
      {100, Long.MAX_VALUE - 50},
      {Long.MAX_VALUE, 10},
      {-1, 10},
    };
    for (int i = 0; i < ranges.length; i++) {
      Operation op = wire.write(0, ranges[i][0], 20, 1 + i).withImm(1 + i);
      wire.post(op.inRows(2, 10, ranges[i][1]));
      wire.awaitRefusal(op);
    }
    wire.throughout(() -> {
      assertThat(wire.target().reports()).as("what the target was told of them").isEmpty();
      assertThat(wire.to().mismatch(MemorySegment.ofArray(before)))
          .as("first byte that they have changed")
          .isEqualTo(-1);
    });
    Operation last = wire.write(0, Wire.LENGTH - 30, 20, 100).withImm(100);
    wire.post(last.inRows(2, 10, 20));
    wire.until("rows up to the last byte", () -> wire.target().hasReported("imm 100"));
  }

  @Test
  final void r17_31_oneFlushBeginsAllThatWasTakenOver() {
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    wire.connect();
    flush(wire); // nothing was taken over
    int[] taken = {0};
    for (int round = 0; round < FLUSHES; round++) {
      int before = taken[0];
      wire.until( // a NIC may refuse all of a run
          "a run to be taken over",
          () ->
              wire.origin()
                  .call(nic -> {
                    boolean more = true;
                    for (int i = 0; i < RUN && more; i++) {
                      Operation op = wire.write(taken[0], taken[0], 1, taken[0]).withImm(taken[0]);
                      more = nic.post(op).isTaken();
                      taken[0] += more ? 1 : 0;
                    }
                    nic.flush();
                    return taken[0] > before;
                  }));
      wire.until("all reported", () -> wire.origin().reported() == taken[0] + 1);
      wire.until("all arrived", () -> wire.target().reported() == taken[0]);
      flush(wire);
    }
    wire.throughout(() ->
        assertThat(wire.origin().reported() + wire.target().reported())
            .as("reports of both NICs")
            .isEqualTo(2 * taken[0] + 1));
    assertThat(wire.to().asSlice(0, taken[0]).mismatch(wire.from().asSlice(0, taken[0])))
        .as("first byte that differs")
        .isEqualTo(-1);
  }

  private static void flush(Wire wire) {
    wire.origin()
        .call(nic -> {
          nic.flush();
          return true;
        });
  }

  @Test
  final void r17_22_aNicThatHasNothingInFlightIsNotBusy() {
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    Operation op = wire.write(0, 0, 16, 1);
    wire.until(
        "a first write to be taken over",
        () -> {
          PostResult result = wire.origin().call(nic -> nic.post(op));
          assertThat(result)
              .as("a refusal of a NIC that has nothing in flight")
              .isNotEqualTo(PostResult.NIC_BUSY);
          return result.isTaken();
        });
    wire.until("its report", () -> wire.origin().hasReported("written 1"));
  }

  @Test
  final void r17_11_whatExceedsAMaximumIsNotDoneInPart() {
    Wire wire = Wire.open(stage(), Wire.LENGTH, 0);
    wire.connect();
    long tooLong = capabilities(wire).maxWriteBytes() + 1;
    assumeTrue(
        tooLong <= MAX_TRIED_BYTES,
        "the backend declares that its longest write is of " + (tooLong - 1) + " bytes");
    Wire wide = Wire.open(stage(), tooLong, 0);
    wide.connect();
    byte[] before = wide.to().toArray(ValueLayout.JAVA_BYTE);
    var op = wide.write(0, 0, tooLong, 1).withImm(1);
    boolean[] taken = new boolean[1];
    if (wide.origin().attempt(nic -> taken[0] = nic.post(op).isTaken()) == null && taken[0]) {
      wide.until("a report", () -> wide.origin().reported() == 2);
    }
    wide.throughout(() -> assertThat(wide.origin().reported()).isLessThanOrEqualTo(2));
    if (wide.origin().hasReported("written 1") || wide.target().hasReported("imm 1")) {
      assertThat(wide.to().mismatch(wide.from())).as("a write that is too long").isEqualTo(-1);
    } else {
      // But for the byte that connecting has written, which may come late.
      assertThat(wide.to().asSlice(1).mismatch(MemorySegment.ofArray(before).asSlice(1)))
          .as("a byte of a write that was not done")
          .isEqualTo(-1);
    }
    wide.post(wide.write(0, 0, 10, 2));
    wide.until("a write afterwards", () -> wide.origin().hasReported("written 2"));
  }
}
