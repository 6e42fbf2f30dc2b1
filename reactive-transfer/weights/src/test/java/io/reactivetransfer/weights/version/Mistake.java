package io.reactivetransfer.weights.version;

/** What a machine of a simulated world does otherwise than it should. This one does nothing. */
class Mistake {

  RankMachine<Integer> rank(MemberId member, int buffers, RankMachine.Actions<Integer> actions) {
    return new RankMachine<>(member, buffers, actions);
  }

  RankMachine.Actions<Integer> around(SimulatedRank rank) {
    return rank;
  }

  ControllerMachine controller(long id, ControllerMachine.Actions actions) {
    return new ControllerMachine(id, actions);
  }
}
