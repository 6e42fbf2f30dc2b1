package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes from memory that the application has freed although it is registered, and to there. A card
 * has its pages still and may go on with them: so what is told as done has to be there, and nothing
 * more is asked.
 */
final class FreedMemory {

  /** What is often copied, what is often sent from its place, and a write of several parts. */
  private static final List<Integer> LENGTHS = List.of(40, 6_000, 70_000);

  /** By how much the token of a write is greater than that of the same write of before. */
  private static final int AGAIN = 100;

  /**
   * A write with an end that is freed.
   *
   * @param what which end that is
   * @param from what it brings, for as long as the test goes on
   * @param to where that comes, for as long as the test goes on
   */
  private record Case(String what, int token, Operation op, MemorySegment from, MemorySegment to) {

    void change() {
      from.fill((byte) (token + 1));
      to.fill((byte) 0);
    }
  }

  private final Wire wire;
  private final List<Case> cases = new ArrayList<>();

  private FreedMemory(Wire wire) {
    this.wire = wire;
  }

  /**
   * Requires it, and that other writes go on.
   *
   * @throws IOException if this machine has no memory that can be seen after it was freed
   */
  static void expectNothingUntrue(Stage stage) throws IOException {
    FreedMemory freed = new FreedMemory(Wire.open(stage, LENGTHS.getLast(), 0));
    try (Arena arena = Arena.ofShared()) {
      for (int length : LENGTHS) {
        freed.add(stage, arena, (int) freed.wire.atMost(length));
      }
      freed.write(0);
    }
    freed.wire.throughout(() -> {}); // a NIC may look at its memory every now and then only
    freed.write(AGAIN);
    freed.wire.throughout(() -> {}); // in which immediates may come
    freed.cases.forEach(freed::expectNothingUntrue);
    DriverReportRules.writeAgain(freed.wire);
  }

  /** One from memory that ends with the arena, and one to there. */
  private void add(Stage stage, Arena arena, int length) throws IOException {
    List<MemorySegment> source = stage.twice(length, arena);
    MemorySegment to = stage.memory(length);
    add("from", source.getFirst(), to, source.getLast(), to);
    MemorySegment from = stage.memory(length);
    List<MemorySegment> target = stage.twice(length, arena);
    add("to", from, target.getFirst(), from, target.getLast());
  }

  private void add(
      String what,
      MemorySegment source,
      MemorySegment target,
      MemorySegment from,
      MemorySegment to) {
    int token = cases.size() + 1;
    LocalMemory local = register(wire.origin(), source, Access.LOCAL);
    LocalMemory remote = register(wire.target(), target, Access.REMOTE_WRITE);
    RemoteMemory known =
        wire.origin().call(nic -> nic.resolve(wire.ends().peer(), remote.key(), target.byteSize()));
    Operation op = new Operation().between(local, known).range(0, 0, to.byteSize());
    cases.add(new Case(what, token, op, from, to));
  }

  /** Linux pins no pages for writing that a file has on a disk, so a card may refuse them. */
  private static LocalMemory register(BareNic nic, MemorySegment memory, Access access) {
    try {
      return nic.register(new HostMemory(memory), access);
    } catch (BackendException e) {
      return abort("the NIC takes no memory that ends: " + e.getMessage());
    }
  }

  /** Has all of it written, and returns when each write was reported. */
  private void write(int more) {
    for (Case each : cases) {
      int token = each.token() + more;
      wire.post(each.op().token(token).withImm(token));
    }
    wire.until("reports of all writes", () -> cases.stream().allMatch(each -> ended(each, more)));
    if (more == 0) {
      wire.until(
          "immediates of all writes",
          () -> cases.stream().allMatch(each -> wire.target().hasReported("imm " + each.token())));
      cases.forEach(Case::change);
    }
  }

  private boolean ended(Case each, int more) {
    int token = each.token() + more;
    return wire.origin().hasReported("written " + token)
        || wire.origin().hasReported("failed " + token);
  }

  private void expectNothingUntrue(Case each) {
    String what =
        "a write of %s bytes %s memory that was freed".formatted(each.to().byteSize(), each.what());
    int token = each.token() + AGAIN;
    boolean hasArrived = wire.target().hasReported("imm " + token);
    boolean isWritten = wire.origin().hasReported("written " + token);
    boolean isRefused = wire.origin().refused().contains((long) token);
    assertThat(hasArrived && isRefused).as("whether %s was refused and arrived", what).isFalse();
    if (hasArrived || (isWritten && wire.delivers())) {
      assertThat(each.to().mismatch(each.from()))
          .as("first byte that differs of %s, told as %s", what, hasArrived ? "arrived" : "written")
          .isEqualTo(-1);
    }
  }
}
