package io.reactivetransfer.simulation;

import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All barriers of a run: nobody leaves a round before everybody has entered it. */
final class Meetings {

  private final World world;
  private final Map<Set<Node>, Map<Node, Integer>> entered = new LinkedHashMap<>();
  private final List<BarrierProbe> probes = new ArrayList<>();

  Meetings(World world) {
    this.world = world;
  }

  /** One member enters the next round. */
  void enter(Node member, TransferEngine engine, Set<Node> members) {
    List<Peer> others = new ArrayList<>();
    for (Node node : members) {
      TransferEngine other = node.engine();
      if (node != member && other != null) {
        others.add(engine.peer(other.address()));
      }
    }
    Map<Node, Integer> rounds = entered.computeIfAbsent(members, key -> new LinkedHashMap<>());
    int round = rounds.merge(member, 1, Integer::sum);
    BarrierProbe probe = new BarrierProbe(member, members, round);
    probes.add(probe);
    engine.barrier(new PeerGroup(others)).subscribe(probe);
  }

  private boolean isComplete(Set<Node> members, int round) {
    Map<Node, Integer> rounds = entered.getOrDefault(members, Map.of());
    return members.stream().allMatch(node -> rounds.getOrDefault(node, 0) >= round);
  }

  private boolean isDisturbed(Set<Node> members) {
    return members.stream()
        .anyMatch(
            one -> members.stream().anyMatch(two -> one != two && world.isDisturbed(one, two)));
  }

  /** At the end: whoever can leave has left. */
  void check() {
    for (BarrierProbe probe : probes) {
      world
          .referee()
          .require(
              probe.isOver()
                  || isDisturbed(probe.members)
                  || !isComplete(probe.members, probe.round),
              probe + " waits, and everybody has entered");
    }
  }

  private static final class BarrierProbe extends Probe<Void> {
    private final Set<Node> members;
    private final int round;

    BarrierProbe(Node node, Set<Node> members, int round) {
      super(node, "barrier", false);
      this.members = members;
      this.round = round;
    }

    @Override
    void end(@Nullable Throwable error) {
      Meetings meetings = node.world().meetings();
      if (error == null) {
        node.world()
            .referee()
            .require(
                meetings.isDisturbed(members) || meetings.isComplete(members, round),
                this + " was left before everybody had entered");
      } else {
        boolean lost = error instanceof PeerUnreachableException && meetings.isDisturbed(members);
        node.world()
            .referee()
            .require(
                node.isClosing() || node.world().isForgiving() || lost,
                this + " failed for no reason: " + error);
      }
    }
  }
}
