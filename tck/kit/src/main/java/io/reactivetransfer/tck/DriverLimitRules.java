package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chapter 17, continued: what lies beyond the declared maxima. */
abstract class DriverLimitRules extends RuleGroup {

  /** Writes that are tried beyond the declared depth. */
  private static final int BEYOND = 100;

  /** So often one NIC is turned while the other does not look. */
  private static final int TURNS_ALONE = 300;

  /** A longer write is not tried. */
  private static final long MAX_TRIED_BYTES = (1L << 24) + 1;

  DriverLimitRules(TransferConformance kit) {
    super(kit);
  }

  private static Capabilities capabilities(Wire wire) {
    return wire.origin().call(nic -> nic.capabilities());
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
    if (tooLong > MAX_TRIED_BYTES) {
      return;
    }
    Wire wide = Wire.open(stage(), tooLong, 0);
    wide.connect();
    var op = wide.write(0, 0, tooLong, 1).withImm(1);
    boolean[] taken = new boolean[1];
    if (wide.origin().attempt(nic -> taken[0] = nic.post(op).isTaken()) == null && taken[0]) {
      wide.until("a report", () -> wide.origin().reported() == 2);
    }
    wide.throughout(() -> assertThat(wide.origin().reported()).isLessThanOrEqualTo(2));
    if (wide.origin().hasReported("written 1") || wide.target().hasReported("imm 1")) {
      assertThat(wide.to().mismatch(wide.from())).as("a write that is too long").isEqualTo(-1);
    }
    wide.post(wide.write(0, 0, 10, 2));
    wide.until("a write afterwards", () -> wide.origin().hasReported("written 2"));
  }
}
