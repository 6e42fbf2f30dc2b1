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

  private record Group(String name, Set<Node> members) {}

  private final Map<Group, Map<Node, Integer>> entered = new LinkedHashMap<>();
  private final List<BarrierProbe> probes = new ArrayList<>();

  Meetings(World world) {
    this.world = world;
  }

  /** One member enters the next round. */
  void enter(Node member, TransferEngine engine, String name, Set<Node> members) {
    List<Peer> others = new ArrayList<>();
    for (Node node : members) {
      TransferEngine other = node.engine();
      if (node != member && other != null) {
        others.add(engine.peer(other.address()));
      }
    }
    Group group = new Group(name, members);
    Map<Node, Integer> rounds = entered.computeIfAbsent(group, key -> new LinkedHashMap<>());
    int round = rounds.merge(member, 1, Integer::sum);
    BarrierProbe probe = new BarrierProbe(member, group, round);
    probes.add(probe);
    engine.barrier(name, new PeerGroup(others)).subscribe(probe);
  }

  private boolean isComplete(Group group, int round) {
    Map<Node, Integer> rounds = entered.getOrDefault(group, Map.of());
    return group.members().stream().allMatch(node -> rounds.getOrDefault(node, 0) >= round);
  }

  private boolean isDisturbed(Group group) {
    Set<Node> members = group.members();
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
              probe.isOver() || isDisturbed(probe.group) || !isComplete(probe.group, probe.round),
              probe + " waits, and everybody has entered");
    }
  }

  private static final class BarrierProbe extends Probe<Void> {
    private final Group group;
    private final int round;

    BarrierProbe(Node node, Group group, int round) {
      super(node, "barrier", false);
      this.group = group;
      this.round = round;
    }

    @Override
    void end(@Nullable Throwable error) {
      Meetings meetings = node.world().meetings();
      if (error == null) {
        node.world()
            .referee()
            .require(
                meetings.isDisturbed(group) || meetings.isComplete(group, round),
                this + " was left before everybody had entered");
      } else {
        boolean lost = error instanceof PeerUnreachableException && meetings.isDisturbed(group);
        node.world()
            .referee()
            .require(
                node.isClosing() || node.world().isForgiving() || lost,
                this + " failed for no reason: " + error);
      }
    }
  }
}
