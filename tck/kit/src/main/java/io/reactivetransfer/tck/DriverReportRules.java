package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemotePeer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Chapter 17, continued: whether what a NIC reports is true, and when it may report. */
abstract class DriverReportRules extends RuleGroup {

  private static final int WRITES = 8;

  /** Of tokens that nothing else has. */
  static final long LARGE_GENERATION = 0x8765;

  private static final int RUNS = 3;
  private static final int ROUNDS = 4;
  private static final String GIVEN_UP = "given up by the conformance kit";

  /** So often one NIC is turned while the other does not look. */
  private static final int TURNS_ALONE = 300;

  /** Fences, each with more that has come in before it. */
  private static final int FENCES = 5;

  // Tokens, so that no two are the same.
  private static final int FENCED_EACH = 1_000;
  private static final int FIRST_AGAIN = 100_000;

  /** How writes end that are out. */
  private enum End {
    /** Their peer is given up, before their NIC was polled. */
    GIVEN_UP_UNSENT,
    /** Their peer is given up, when their NIC was polled, and before the peer has looked. */
    GIVEN_UP_EARLY,
    /** Their peer is given up, when it has done what there is to do. */
    GIVEN_UP_LATE,
    /** Their peer closes then. */
    CLOSED
  }

  /** More than anything has a buffer for. */
  private static final long LONGEST = 600_001;

  /** Of which none follows another one like it. */
  private static final long[] LENGTHS = {16, 0, 1, LONGEST, 0, 300, 5_000, 1, 64, LONGEST - 7, 2};

  private static final int ROWS = 3;

  DriverReportRules(TransferConformance kit) {
    super(kit);
  }

  private boolean has(Capability capability) {
    return stage().profile().missing().get(capability) == null;
  }

  /** Looked at within the report: a poll that copies later has done so when it returns. */
  @Test
  final void r17_2_whatAnImmediateTellsOfIsThereByThen() {
    Wire wire = Wire.open(stage(), LongStream.of(LENGTHS).sum(), 0);
    List<Operation> writes = new ArrayList<>();
    long at = 0;
    for (long length : LENGTHS) {
      int imm = writes.size();
      writes.add(wire.write(at, at, wire.atMost(length), imm).withImm(imm));
      at += length;
    }
    List<String> missing = new CopyOnWriteArrayList<>();
    wire.target()
        .atArrival(imm -> {
          if (imm < 0 || imm >= writes.size()) {
            missing.add("a write of immediate " + imm + ", which nobody has posted");
            return;
          }
          long first = wire.mismatch(writes.get(imm));
          if (first >= 0) {
            missing.add("byte " + first + " of immediate " + imm);
          }
        });
    writes.forEach(wire::post);
    wire.until("all immediates", () -> wire.target().reported() >= writes.size());
    assertThat(missing).as("what was not there when the immediate was told").isEmpty();
  }

  private Wire connected(int extra) {
    Wire wire = Wire.open(stage(), Wire.LENGTH, extra);
    wire.connect();
    return wire;
  }

  private static void disconnect(Wire wire) {
    wire.origin()
        .call(nic -> {
          nic.disconnect(wire.ends().peer(), GIVEN_UP);
          return true;
        });
  }

  private static long losses(BareNic nic) {
    return nic.reports().stream().filter(report -> report.startsWith("lost")).count();
  }

  @Test
  final void r17_7_whoWasGivenUpIsTriedAgain() {
    Wire wire = connected(0);
    disconnect(wire);
    writeAgain(wire);
  }

  /** A write may still fail for the end of the connection before. */
  static void writeAgain(Wire wire) {
    long[] token = {wire.origin().reported() + FIRST_AGAIN};
    boolean[] out = {false};
    wire.until(
        "a write after its peer was given up",
        () -> {
          if (out[0] && wire.origin().hasReported("failed " + token[0])) {
            token[0]++;
            out[0] = false;
          }
          Operation op = wire.write(0, 0, 16, token[0]);
          out[0] = out[0] || wire.origin().call(nic -> nic.post(op).isTaken());
          return wire.origin().hasReported("written " + token[0]);
        });
  }

  @Test
  final void r17_18_ofARefusedWriteNoImmediateComes() {
    for (End end : End.values()) {
      if (end != End.CLOSED || has(Capability.LOST_PEERS)) {
        expectTrueRefusals(end);
      }
    }
  }

  private void expectTrueRefusals(End end) {
    Wire wire = connected(0);
    int taken = 0;
    for (int i = 0; i < WRITES; i++) {
      Operation op = writeToItsPlace(wire, taken).withImm(taken);
      taken += wire.origin().call(nic -> nic.post(op).isTaken()) ? 1 : 0;
    }
    if (end != End.GIVEN_UP_UNSENT) {
      turnAlone(wire.origin());
    }
    if (end == End.GIVEN_UP_LATE || end == End.CLOSED) {
      turnAlone(wire.target());
    }
    if (end == End.CLOSED) {
      wire.target().close();
    } else {
      disconnect(wire);
    }
    int ended = taken + 1;
    stage()
        .patience()
        .turningUntil(
            "a report of each of " + taken + " writes",
            () -> {
              wire.origin().turn();
              return wire.origin().reported() - losses(wire.origin()) >= ended;
            });
    for (int token = 0; token < taken; token++) {
      wire.requireLandedIfWritten(writeToItsPlace(wire, token));
    }
    stage()
        .patience()
        .turning(() -> {
          if (end != End.CLOSED) {
            wire.target().turn();
          }
        });
    List<String> arrived = wire.target().reports();
    assertThat(wire.origin().refused())
        .as("writes that are reported as refused, when these came to the target: %s", arrived)
        .noneMatch(token -> arrived.contains("imm " + token));
  }

  private static Operation writeToItsPlace(Wire wire, int token) {
    return wire.write(16L * token, 16L * token, 16, token);
  }

  private static void turnAlone(BareNic nic) {
    for (int turn = 0; turn < TURNS_ALONE; turn++) {
      nic.turn();
    }
  }

  @Test
  final void r17_23_nothingOfBeforeComesBehindAFence() {
    Wire wire = connected(0);
    assumeTrue(
        wire.target().call(Domain::capabilities).fencesLostPeers(),
        "the NIC declares that it fences lost peers");
    byte[] address = wire.origin().call(nic -> nic.address());
    RemotePeer origin = wire.target().call(nic -> nic.resolve(wire.origin().engine(), 0, address));
    for (int round = 0; round < FENCES; round++) {
      expectFence(wire, origin, round);
      writeAgain(wire);
    }
  }

  /** Of its writes nothing has come in before the fence in round 0, and the more the later. */
  private void expectFence(Wire wire, RemotePeer origin, int round) {
    for (int i = 0; i < WRITES; i++) {
      Operation op = wire.write(0, 0, 16, FENCED_EACH * round + i).withImm(round);
      wire.origin().call(nic -> nic.post(op));
    }
    for (int turn = 0; turn < TURNS_ALONE; turn++) {
      wire.origin().turn();
      if (turn < round) {
        wire.target().turn();
      }
    }
    String imm = "imm " + round;
    List<Long> before = new CopyOnWriteArrayList<>();
    wire.target()
        .call(nic ->
            nic.disconnect(origin, GIVEN_UP).thenRun(() -> before.add(count(wire.target(), imm))));
    stage()
        .patience()
        .until(
            "the end of a fence, with no help from the peer",
            () -> {
              wire.target().turn();
              return !before.isEmpty();
            });
    wire.throughout(() ->
        assertThat(count(wire.target(), imm))
            .as("arrivals, all of which were to come before the fence was complete")
            .isEqualTo(before.getFirst()));
  }

  private static long count(BareNic nic, String report) {
    return nic.reports().stream().filter(report::equals).count();
  }

  @Test
  final void r17_19_nothingIsReportedOutsideOfAPoll() {
    Wire wire = connected(100);
    for (int i = 0; i < 2 * WRITES; i++) {
      wire.post(wire.write(0, 0, 100, i).withImm(i));
    }
    int arriving = 2 * WRITES;
    wire.until("all reported", () -> wire.origin().reported() > 2 * WRITES);
    wire.until("all arrived", () -> wire.target().reported() == arriving);
    if (has(Capability.TARGET_CHECKS)) {
      Operation beyond = wire.write(0, Wire.LENGTH, 10, 99);
      int reported = wire.origin().reported();
      wire.post(beyond);
      wire.until("a report of a write", () -> wire.origin().reported() > reported);
    }
    Operation last = wire.write(0, 0, 100, 100);
    wire.post(last);
    stage().rest(stage().patience().silence()); // in which nobody polls
    if (has(Capability.LOST_PEERS)) {
      wire.target().close();
      String lost = "lost " + wire.target().engine();
      stage()
          .patience()
          .until(
              "the loss of a peer that has closed",
              () -> {
                wire.origin().call(nic -> nic.post(last).isTaken());
                wire.origin().turn();
                return wire.origin().hasReported(lost);
              });
    }
    for (BareNic nic : List.of(wire.origin(), wire.target())) {
      assertThat(nic.misplaced()).as("reports outside of a poll").isEmpty();
    }
  }

  @Test
  final void r17_32_whatIsReportedTogetherIsOfOneRun() {
    Wire wire = connected(0);
    Map<Integer, Integer> taken = new TreeMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      int first = round * WRITES;
      wire.origin()
          .call(nic -> {
            for (int i = first; i < first + WRITES; i++) {
              int run = i / 3 % RUNS;
              Operation op = wire.write(i, i, 1, tokenOf(run, i)).withImm(run);
              if (nic.post(op).isTaken()) {
                taken.merge(run, 1, Integer::sum);
              }
            }
            return true;
          });
      int all = taken.values().stream().mapToInt(Integer::intValue).sum();
      wire.until("all reported", () -> wire.origin().reported() > all);
      wire.until("all arrived", () -> wire.target().reported() >= all);
      wire.turn();
      assertThat(reportedOf(wire.origin())).as("reports of each run").isEqualTo(taken);
    }
    wire.throughout(
        () -> assertThat(reportedOf(wire.origin())).as("reports of each run").isEqualTo(taken));
  }

  private static long tokenOf(int run, int number) {
    return LARGE_GENERATION << 48 | (long) number << 20 | run;
  }

  private static Map<Integer, Integer> reportedOf(BareNic nic) {
    Map<Integer, Integer> reported = new TreeMap<>();
    for (String report : nic.reports()) {
      if (report.startsWith("written ")) {
        long token = Long.parseLong(report.substring("written ".length()));
        for (int run = 0; run < RUNS; run++) {
          if (Operation.areOfOneRun(token, tokenOf(run, 0))) {
            reported.merge(run, 1, Integer::sum);
          }
        }
      }
    }
    return reported;
  }

  @Test
  final void r17_20_whoIsNamedAsOriginIsIt() {
    stage().requireNics(1);
    BareNic target = Wire.nic(stage(), 2);
    Wire even = between(Wire.nic(stage(), 1), target);
    Wire odd = between(Wire.nic(stage(), 3), target);
    for (int i = 0; i < 2 * WRITES; i++) {
      Wire wire = i % 2 == 0 ? even : odd;
      wire.post(wire.write(0, 0, 16, i).withImm(i));
    }
    int arriving = 2 * WRITES;
    stage()
        .patience()
        .until(
            "all writes of two origins",
            () -> {
              even.turn();
              odd.origin().turn();
              return target.reported() >= arriving;
            });
    for (BareNic.Arrival arrival : target.arrivals()) {
      EngineId origin = (arrival.imm() % 2 == 0 ? even : odd).origin().engine();
      assertThat(arrival.origin())
          .as("who is named as the origin of immediate %s", arrival.imm())
          .isEqualTo(origin);
    }
  }

  private Wire between(BareNic origin, BareNic target) {
    return between(origin, target, Wire.LENGTH);
  }

  private Wire between(BareNic origin, BareNic target, long length) {
    return Wire.between(origin, target, stage(), stage().memory(length), stage().memory(length), 0);
  }

  @Test
  final void r17_35_theLengthThatIsToldIsThatOfTheWrite() {
    BareNic target = targetOfLengths();
    expectLengths(target, List.of(between(Wire.nic(stage(), 1), target, LONGEST)));
  }

  @Test
  final void r17_35_theSameOfSeveralOrigins() {
    BareNic target = targetOfLengths();
    Wire even = between(Wire.nic(stage(), 1), target, LONGEST);
    Wire odd = between(Wire.nic(stage(), 3), target, LONGEST);
    expectLengths(target, List.of(even, odd));
  }

  /** Which may come in parts, and the last one of them be all that a NIC sees of it. */
  @Test
  final void r17_35_theSameOfMemoryOfDevices() {
    BareNic target = targetOfLengths();
    Wire host = between(Wire.nic(stage(), 1), target, LONGEST);
    FakeDevice device = DriverDeviceRules.device(host);
    LocalMemory source = host.origin().register(device.allocate((int) LONGEST), Access.LOCAL);
    Wire.Ends ends =
        new Wire.Ends(source, host.ends().local(), host.ends().peer(), host.ends().target());
    expectLengths(
        target, List.of(new Wire(stage(), host.origin(), target, ends, host.from(), host.to())));
  }

  private BareNic targetOfLengths() {
    stage().requireNics(1);
    return Wire.nic(stage(), 2);
  }

  private void expectLengths(BareNic target, List<Wire> wires) {
    List<Long> lengths = new ArrayList<>();
    for (long length : LENGTHS) {
      Wire wire = wires.get(lengths.size() % wires.size());
      int imm = lengths.size();
      lengths.add(wire.atMost(length));
      wire.post(wire.write(0, 0, lengths.getLast(), imm).withImm(imm));
    }
    Wire first = wires.getFirst();
    if (first.origin().call(Domain::capabilities).maxRows() >= ROWS) {
      int imm = lengths.size();
      lengths.add(ROWS * 100L);
      first.post(first.write(0, 0, ROWS * 100, imm).inRows(ROWS, 200, 300).withImm(imm));
    }
    stage()
        .patience()
        .until(
            "all writes to come",
            () -> {
              wires.forEach(wire -> wire.origin().turn());
              target.turn();
              return target.lengths().size() >= lengths.size();
            });
    for (BareNic.Length told : target.lengths()) {
      assertThat(told.bytes())
          .as("what is told of the length of immediate %s", told.imm())
          .isIn(lengths.get(told.imm()), CompletionSink.UNKNOWN_BYTES);
    }
    assumeTrue(
        target.lengths().stream().anyMatch(told -> told.bytes() > 0),
        "the NIC is told how long a write was that came");
  }
}
