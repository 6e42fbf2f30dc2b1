package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** Chapter 17: what an engine expects of a backend, asked without an engine. */
abstract class DriverRules extends RuleGroup {

  private static final int LENGTH = Wire.LENGTH;

  /** So often one NIC is turned while the other does not look. */
  private static final int TURNS_ALONE = 300;

  DriverRules(TransferConformance kit) {
    super(kit);
  }

  private Wire wire(int extra) {
    return Wire.open(stage(), LENGTH, extra);
  }

  private static void until(String what, Wire wire, BooleanSupplier condition) {
    wire.until(what, condition);
  }

  private static void post(Wire wire, Operation op) {
    wire.post(op);
  }

  @Test
  final void r17_1_aBackendDescribesItself() {
    Backend backend = stage().backend();
    assertThat(backend.name()).as("name").matches("[a-z][a-z0-9-]{0,31}");
    assertNotNull(backend.availability());
    stage().requireNics(1);
    List<Nic> nics = backend.nics();
    assertThat(nics).hasSizeBetween(1, 8);
    assertThat(new HashSet<>(nics.stream().map(Nic::name).toList())).hasSameSizeAs(nics);
    for (int count = 1; count <= 8; count++) {
      int wanted = count;
      try {
        List<String> names = backend.nics(wanted).stream().map(Nic::name).toList();
        assertThat(names).as("%s NICs", wanted).hasSize(wanted).doesNotHaveDuplicates();
      } catch (BackendException e) {
        assertThat(wanted).as("NICs that were refused").isGreaterThan(1);
      }
    }
    Wire wire = wire(0);
    byte[] address = wire.target().call(nic -> nic.address());
    assertThat(address).hasSizeBetween(1, 256);
    assertThat(wire.ends().local().key()).hasSizeBetween(1, 64);
  }

  @Test
  final void r17_2_everyWriteIsReportedOnceWithItsToken() {
    Wire wire = wire(0);
    List<Long> tokens =
        new ArrayList<>(List.of(0L, -1L, 1L << 32, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 31));
    for (int i = 0; i < 200; i++) {
      tokens.add(stage().random().nextLong());
    }
    Operation op = new Operation();
    List<Integer> imms = new ArrayList<>(List.of(0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE));
    while (imms.size() < tokens.size() / 2) {
      imms.add(imms.size());
    }
    for (int i = 0; i < tokens.size(); i++) {
      op.between(wire.ends().source(), wire.ends().target())
          .range(i * 32L, (tokens.size() - i) * 32L, 16)
          .token(tokens.get(i));
      post(wire, i % 2 == 0 ? op.withImm(imms.get(i / 2)) : op.withoutImm());
      op.range(0, 0, 0).token(4_711).withImm(-1); // what was posted was copied
    }
    List<String> written = tokens.stream().map(token -> "written " + token).toList();
    until("all writes reported", wire, () -> wire.origin().reported() >= written.size());
    wire.throughout(
        () -> assertThat(wire.origin().reported()).as("reports of them").isEqualTo(written.size()));
    assertThat(wire.origin().reports())
        .as("reports of writes")
        .containsExactlyInAnyOrderElementsOf(written);
    List<String> arrived = imms.stream().map(imm -> "imm " + imm).toList();
    until("all immediates", wire, () -> wire.target().reported() >= arrived.size());
    assertThat(wire.target().reports())
        .as("what came to the target")
        .containsExactlyInAnyOrderElementsOf(arrived);
    for (int i = 0; i < tokens.size(); i++) {
      MemorySegment to = wire.to().asSlice((tokens.size() - i) * 32L, 16);
      MemorySegment from = wire.from().asSlice(i * 32L, 16);
      wire.requireLanded("write " + i, () -> to.mismatch(from));
    }
  }

  @Test
  final void r17_3_anIdleNicHasNothingToDo() {
    Wire wire = wire(0);
    Operation op =
        new Operation()
            .between(wire.ends().source(), wire.ends().target())
            .range(0, 0, 100)
            .token(1);
    post(wire, op.withImm(7));
    until("a report", wire, () -> wire.origin().reports().contains("written 1"));
    until("an idle turn of the origin", wire, () -> wire.origin().turn() == 0);
    until("an idle turn of the target", wire, () -> wire.target().turn() == 0);
    for (BareNic nic : List.of(wire.origin(), wire.target())) {
      assertThat(nic.understated()).as("reports in polls that found nothing").isEmpty();
    }
  }

  @Test
  final void r17_4_theTargetChecksBounds() {
    stage().require(Capability.TARGET_CHECKS);
    Wire wire = wire(100);
    MemorySegment.copy(wire.from(), 0, wire.to(), 0, 100);
    byte[] before = wire.to().toArray(ValueLayout.JAVA_BYTE);
    long[][] ranges = {{LENGTH - 10, 20}, {LENGTH, 10}, {LENGTH + 50, 10}};
    for (int i = 0; i < ranges.length; i++) {
      post(
          wire,
          new Operation()
              .between(wire.ends().source(), wire.ends().target())
              .range(0, ranges[i][0], ranges[i][1])
              .token(i)
              .withImm(i));
      // As long, and within: whether this fails as well is another question.
      post(wire, wire.write(0, 0, ranges[i][1], 10 + i));
    }
    until("all reported", wire, () -> wire.origin().reported() >= 2 * ranges.length);
    if (wire.delivers()) {
      assertThat(wire.origin().reports())
          .as("what the origin was told of writes 0 to 2, beyond the end of the target's memory")
          .contains("failed 0", "failed 1", "failed 2")
          .doesNotContain("written 0", "written 1", "written 2");
    }
    wire.throughout(() -> {
      assertThat(wire.target().reports()).as("what the target was told of them").isEmpty();
      assertThat(wire.to().mismatch(MemorySegment.ofArray(before)))
          .as("first byte that they have changed")
          .isEqualTo(-1);
    });
  }

  @Test
  final void r17_5_afterARefusalThereIsAnotherChance() {
    Wire wire = wire(0);
    Operation op =
        new Operation()
            .between(wire.ends().source(), wire.ends().target())
            .range(0, 0, 1_000)
            .withoutImm();
    int most = wire.origin().call(nic -> nic.capabilities().queueDepth()) + 10_000;
    int posted = 0;
    while (posted < most && wire.origin().call(nic -> nic.post(op).isTaken())) {
      posted++;
    }
    assumeTrue(posted < most, "the backend took " + posted + " writes and refused none");
    for (int again = 0; again < 3; again++) {
      posted += wire.origin().call(nic -> nic.post(op).isTaken()) ? 1 : 0;
    }
    if (wire.origin().hasLoop()) {
      until("the doorbell", wire, wire.origin()::wasRung);
    }
    post(wire, op);
    int taken = posted + 1;
    until("all reported", wire, () -> wire.origin().reported() >= taken);
    assertThat(wire.origin().reported()).as("reports of %s writes", taken).isEqualTo(taken);
  }

  @Test
  final void r17_6_theLossOfAPeerIsToldBeforeItsFailures() {
    stage().require(Capability.LOST_PEERS);
    Wire wire = wire(0);
    Operation op =
        new Operation()
            .between(wire.ends().source(), wire.ends().target())
            .range(0, 0, 100)
            .withImm(9);
    post(wire, op.token(0));
    until("a report", wire, () -> wire.origin().reports().size() == 1);
    int[] posted = {postMore(wire.origin(), op)};
    wire.target().close();
    String lost = "lost " + wire.target().engine();
    stage()
        .patience()
        .until(
            "a loss and a report of each",
            () -> {
              wire.origin().turn();
              boolean isTold = wire.origin().reports().contains(lost);
              if (!isTold && ended(wire.origin()) == 1 + posted[0]) {
                // All came in before the target closed: a NIC may find that by the next one only.
                op.token(posted[0] + 1);
                posted[0] += wire.origin().call(nic -> nic.post(op).isTaken()) ? 1 : 0;
              }
              return isTold && wire.origin().reports().size() >= 2 + posted[0];
            });
    int more = posted[0];
    stage().patience().turning(wire.origin()::turn);
    List<String> reports = wire.origin().reports();
    assertThat(reports).as("reports").hasSize(2 + more).containsOnlyOnce("written 0", lost);
    for (int token = 1; token <= more; token++) {
      String failed = "failed " + token;
      assertThat(reports.contains("written " + token) || reports.contains(failed))
          .as("report of write %s", token)
          .isTrue();
      if (reports.contains(failed)) {
        assertThat(reports.indexOf(failed))
            .as("place of '%s' among the reports, which is after '%s'", failed, lost)
            .isGreaterThan(reports.indexOf(lost));
      }
    }
  }

  @Test
  final void r17_7_aPeerThatIsGivenUpHoldsNoWrite() {
    expectTrueEnds(0);
    expectTrueEnds(TURNS_ALONE);
  }

  /** Of writes to a peer that is never turned. */
  private void expectTrueEnds(int turnsOfOrigin) {
    Wire wire = wire(0);
    byte[] address = wire.target().call(nic -> nic.address());
    RemotePeer peer = wire.origin().call(nic -> nic.resolve(wire.target().engine(), 0, address));
    Operation op =
        new Operation()
            .between(wire.ends().source(), wire.ends().target())
            .range(0, 0, 100)
            .withoutImm();
    post(wire, op.token(0));
    until("a report", wire, () -> wire.origin().reports().size() == 1);
    int more = postMore(wire.origin(), op);
    for (int turn = 0; turn < turnsOfOrigin; turn++) {
      wire.origin().turn();
    }
    wire.origin()
        .call(nic -> {
          nic.disconnect(peer, "given up by the conformance kit");
          return true;
        });
    stage()
        .patience()
        .until(
            "a report of each, with no help from the peer",
            () -> {
              wire.origin().turn();
              return ended(wire.origin()) == 1 + more;
            });
    stage().patience().turning(wire.origin()::turn);
    assertThat(wire.origin().reports().stream().filter(report -> !report.startsWith("lost")))
        .as("reports of %s writes", 1 + more)
        .hasSize(1 + more)
        .doesNotHaveDuplicates();
    for (long token = 1; token <= more; token++) {
      wire.requireLandedIfWritten(toItsPlace(op, token));
    }
  }

  @Test
  final void r17_28_aNicNamesWhatItCanDo() {
    assertThat(wire(0).origin().call(nic -> nic.capabilities()).operations())
        .as("kinds of operation that it names")
        .contains(Operation.Kind.WRITE);
  }

  private static Operation toItsPlace(Operation op, long token) {
    return op.token(token).range(100 * token, 100 * token, 100);
  }

  /**
   * Has a NIC take over more writes, with the tokens 1, 2 and 3 if it may have that many in flight,
   * and returns how many. It is polled where it refuses, as an engine would do.
   */
  private int postMore(BareNic nic, Operation op) {
    int count = Math.min(3, nic.call(Domain::capabilities).queueDepth());
    for (long token = 1; token <= count; token++) {
      toItsPlace(op, token);
      stage()
          .patience()
          .until(
              "a write to be taken over",
              () -> nic.call(domain -> domain.post(op).isTaken()) || nic.turn() < 0);
    }
    return count;
  }

  private static long ended(BareNic nic) {
    return nic.reports().stream().filter(report -> !report.startsWith("lost")).distinct().count();
  }
}
