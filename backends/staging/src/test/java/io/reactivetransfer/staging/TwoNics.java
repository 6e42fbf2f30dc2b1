package io.reactivetransfer.staging;

import static io.reactivetransfer.staging.StagedNic.onHost;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Writes from and to accelerators whose copies are made when they are waited for, and not before,
 * over NICs whose writes come when the test says so.
 */
abstract class TwoNics {

  static final int LONG = 3 * Pinned.MOST_BYTES + 1_000;

  StagedNic origin = new StagedNic();
  final StagedNic target = new StagedNic();

  /** Turns both, and lets all come that is on its way. */
  void runUntil(BooleanSupplier done) {
    long deadline = System.nanoTime() + 10_000_000_000L;
    while (!done.getAsBoolean()) {
      comeAll();
      turn();
      assertThat(System.nanoTime())
          .as("%s %s", origin.reports, target.reports)
          .isLessThan(deadline);
    }
  }

  void comeAll() {
    for (StagedNic nic : List.of(origin, target)) {
      List.copyOf(nic.main.onWay).forEach(ScriptedNic.OnWay::come);
      List.copyOf(nic.second.onWay).forEach(ScriptedNic.OnWay::come);
    }
  }

  int turn() {
    return origin.turn() + target.turn();
  }

  /** Until neither has anything to do, and nothing comes. */
  void rest() {
    int work = turn();
    while (work > 0) {
      work = turn();
    }
  }

  /** Has a window granted, and used. */
  void connect() {
    DeviceMemory memory = target.device.allocate(8);
    LocalMemory to = target.register(memory, Access.REMOTE_WRITE);
    LocalMemory from = origin.register(onHost(new byte[8]), Access.LOCAL);
    origin.write(from, origin.resolve(target, to, 8), 8, 99);
    runUntil(() -> origin.hasReported("written 99"));
    origin.reports.clear();
    target.reports.clear();
  }

  String arrived(int imm) {
    return "imm " + imm + " of " + origin.id.toShortString();
  }

  void assertArrives(LocalMemory from, LocalMemory to, int length, int token) {
    RemoteMemory there = origin.resolve(target, to, length);
    assertThat(origin.write(from, there, length, token)).isEqualTo(PostResult.TAKEN);
    runUntil(() -> origin.hasReported("written " + token));
  }
}
