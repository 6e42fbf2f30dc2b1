package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Two NICs without engines, memory of each, and what the first one must know to write to the
 * second.
 */
record Wire(
    Stage stage, BareNic origin, BareNic target, Ends ends, MemorySegment from, MemorySegment to) {

  /** Bytes of memory, unless a rule needs more. */
  static final int LENGTH = 8_192;

  /**
   * What both ends of a write are to the NICs.
   *
   * @param source memory of the origin
   * @param local memory of the target, as the target knows it
   * @param peer the target, as the origin knows it
   * @param target memory of the target, as the origin knows it
   */
  record Ends(LocalMemory source, LocalMemory local, RemotePeer peer, RemoteMemory target) {}

  /**
   * Opens two NICs with noise in their memory.
   *
   * @param extra by how much the origin believes the target's memory to be longer than it is
   */
  static Wire open(Stage stage, long length, long extra) {
    return open(stage, stage.memory(length), stage.memory(length), extra);
  }

  /** Opens two NICs with that memory. */
  static Wire open(Stage stage, MemorySegment from, MemorySegment to, long extra) {
    stage.requireNics(1);
    return between(nic(stage, 1), nic(stage, 2), stage, from, to, extra);
  }

  /** Between NICs that are open. */
  static Wire between(
      BareNic origin,
      BareNic target,
      Stage stage,
      MemorySegment from,
      MemorySegment to,
      long extra) {
    LocalMemory source = origin.register(new HostMemory(from), Access.LOCAL);
    LocalMemory local = target.register(new HostMemory(to), Access.REMOTE_WRITE);
    byte[] address = target.call(nic -> nic.address());
    RemotePeer peer = origin.call(nic -> nic.resolve(target.engine(), 0, address));
    RemoteMemory remote = origin.call(nic -> nic.resolve(peer, local.key(), to.byteSize() + extra));
    return new Wire(stage, origin, target, new Ends(source, local, peer, remote), from, to);
  }

  /** A NIC that is closed at the end of the test, if not before. */
  static BareNic nic(Stage stage, int number) {
    BareNic nic =
        new BareNic(
            stage.backend(),
            // Not of the seed: several runs may go on in one process.
            new EngineId(ThreadLocalRandom.current().nextLong(), number),
            stage.patience().signal());
    stage.atEnd(nic::close);
    return nic;
  }

  /** The same two NICs, with memory of their own, the other way round. */
  Wire back() {
    return between(
        /* origin= */ target,
        /* target= */ origin,
        stage,
        stage.memory(to.byteSize()),
        stage.memory(from.byteSize()),
        0);
  }

  /** The longest write that its NIC takes, or this if that is shorter. */
  long atMost(long length) {
    return Math.min(length, origin.call(nic -> nic.capabilities().maxWriteBytes()));
  }

  /** A write without an immediate, to be changed and posted. */
  Operation write(long fromOffset, long toOffset, long length, long token) {
    return new Operation()
        .between(ends.source(), ends.target())
        .range(fromOffset, toOffset, length)
        .token(token)
        .withoutImm();
  }

  /** Turns both NICs. */
  int turn() {
    return origin.turn() + target.turn();
  }

  /** Turns both NICs until something is so. */
  void until(String what, BooleanSupplier condition) {
    stage
        .patience()
        .turningUntil(
            what,
            () -> {
              turn();
              return condition.getAsBoolean();
            });
  }

  /** Turns both NICs for a while, in which something must stay so. */
  void throughout(Runnable check) {
    stage
        .patience()
        .turning(() -> {
          turn();
          check.run();
        });
  }

  /** Whether a write that is reported as written has come; else its source is free, and no more. */
  boolean delivers() {
    return origin.call(nic -> nic.capabilities()).completion() == CompletionLevel.DELIVERED;
  }

  /**
   * Requires what was reported as written to be there; where nobody promises that it has come,
   * waits for it.
   *
   * @param what what was written
   * @param mismatch where it differs, or -1
   */
  void requireLanded(String what, LongSupplier mismatch) {
    if (!delivers()) {
      until(what + " to come", () -> mismatch.getAsLong() == -1);
    }
    assertThat(mismatch.getAsLong()).as("first byte of %s that differs", what).isEqualTo(-1);
  }

  /** Where the bytes of a write that lie at the target differ from those of its source, or -1. */
  long mismatch(Operation op) {
    long source = op.localOffset();
    long there = op.remoteOffset();
    return MemorySegment.mismatch(
        from, source, source + op.length(), to, there, there + op.length());
  }

  /** Requires a write to be there by now, if it was reported as written and that promises so. */
  void requireLandedIfWritten(Operation op) {
    if (delivers() && origin.hasReported("written " + op.token())) {
      assertThat(mismatch(op))
          .as("first byte that differs of write %s, which was reported as written", op.token())
          .isEqualTo(-1);
    }
  }

  /**
   * Waits for the report of a write that the target must refuse. Where nobody promises that what is
   * written has come, the origin may never hear of the refusal.
   */
  void awaitRefusal(Operation op) {
    String what = op.length() + " bytes to offset " + op.remoteOffset();
    String failed = "failed " + op.token();
    String written = "written " + op.token();
    until(
        "a report of a write of " + what,
        () -> origin.hasReported(failed) || origin.hasReported(written));
    assertThat(origin.hasReported(failed) || !delivers())
        .as("whether a write of %s failed", what)
        .isTrue();
  }

  /** Has a write taken over. */
  void post(Operation op) {
    until("a write to be taken over", () -> origin.call(nic -> nic.post(op).isTaken()));
  }

  /** Writes a few bytes, and returns when that is reported: there is a connection then. */
  void connect() {
    post(write(0, 0, 1, Long.MIN_VALUE));
    until("a first write", () -> origin.hasReported("written " + Long.MIN_VALUE));
  }
}
