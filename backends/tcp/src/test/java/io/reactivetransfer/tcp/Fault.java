package io.reactivetransfer.tcp;

import io.reactivetransfer.tcp.faults.Cable;
import io.reactivetransfer.tcp.faults.Direction;
import java.util.List;

/** What can happen to the cables between two engines so that writes fail. */
enum Fault {
  RESET {
    @Override
    void happensTo(List<Cable> there, List<Cable> back) {
      there.forEach(Cable::reset);
      back.forEach(Cable::reset);
    }
  },
  RESET_OF_ONE_CONNECTION {
    @Override
    void happensTo(List<Cable> there, List<Cable> back) {
      there.getFirst().reset();
    }
  },
  HALF_CLOSE_TO_TARGET {
    @Override
    void happensTo(List<Cable> there, List<Cable> back) {
      there.forEach(cable -> cable.halfClose(Direction.TO_TARGET));
    }
  },
  HALF_CLOSE_TO_ORIGIN {
    @Override
    void happensTo(List<Cable> there, List<Cable> back) {
      there.forEach(cable -> cable.halfClose(Direction.TO_ORIGIN));
    }
  },
  STALL {
    @Override
    void happensTo(List<Cable> there, List<Cable> back) {
      there.forEach(Cable::stall);
      back.forEach(Cable::stall);
    }
  },
  STALL_OF_WHAT_ONE_SENDS {
    @Override
    void happensTo(List<Cable> there, List<Cable> back) {
      there.forEach(cable -> cable.stall(Direction.TO_TARGET));
      back.forEach(cable -> cable.stall(Direction.TO_ORIGIN));
    }
  },
  STALL_OF_WHAT_ONE_GETS {
    @Override
    void happensTo(List<Cable> there, List<Cable> back) {
      there.forEach(cable -> cable.stall(Direction.TO_ORIGIN));
      back.forEach(cable -> cable.stall(Direction.TO_TARGET));
    }
  };

  /**
   * It happens.
   *
   * @param there the cables from one engine to the other
   * @param back those in the other direction
   */
  abstract void happensTo(List<Cable> there, List<Cable> back);
}
