package io.reactivetransfer.tck;

import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chapter 21: barriers. */
abstract class BarrierRules extends RuleGroup {

  BarrierRules(TransferConformance kit) {
    super(kit);
  }

  private List<TransferEngine> three() {
    return List.of(stage().open(1), stage().open(1), stage().open(1));
  }

  /** The barrier of all of them, as one of them enters it. */
  private Probe<Void> enter(TransferEngine one, List<TransferEngine> all) {
    PeerGroup others =
        new PeerGroup(
            all.stream()
                .filter(each -> !each.equals(one))
                .map(each -> one.peer(each.address()))
                .toList());
    return stage().probe("a barrier", one.barrier(others));
  }

  @Test
  final void r21_1_nobodyPassesBeforeAllHaveEntered() {
    List<TransferEngine> all = three();
    Probe<Void> first = enter(all.get(0), all);
    Probe<Void> second = enter(all.get(1), all);
    first.assertSilent();
    second.assertPending();
    Probe<Void> third = enter(all.get(2), all);
    for (Probe<Void> each : List.of(first, second, third)) {
      each.awaitCompletion();
    }
  }

  @Test
  final void r21_2_everyRoundIsABarrierOfItsOwn() {
    List<TransferEngine> all = three();
    for (int round = 0; round < 3; round++) {
      List<Probe<Void>> entered = new ArrayList<>();
      for (TransferEngine each : all.subList(1, 3)) {
        entered.add(enter(each, all));
      }
      if (round > 0) {
        entered.getFirst().assertSilent();
      }
      entered.add(enter(all.getFirst(), all));
      entered.forEach(Probe::awaitCompletion);
    }
  }

  @Test
  final void r21_4_barriersOfOtherNamesAreOthers() {
    TransferEngine one = stage().open(1);
    TransferEngine other = stage().open(1);
    PeerGroup here = PeerGroup.of(one.peer(other.address()));
    PeerGroup there = PeerGroup.of(other.peer(one.address()));
    Probe<Void> weights = stage().probe("weights here", one.barrier("weights", here));
    Probe<Void> experts = stage().probe("experts there", other.barrier("experts", there));
    weights.assertSilent();
    experts.assertPending();
    stage().probe("weights there", other.barrier("weights", there)).awaitCompletion();
    weights.awaitCompletion();
    stage().probe("experts here", one.barrier("experts", here)).awaitCompletion();
    experts.awaitCompletion();
  }

  @Test
  final void r21_3_theLossOfAMemberEndsTheBarrier() {
    stage().require(Capability.LOST_PEERS);
    List<TransferEngine> all = three();
    List<Probe<Void>> round = all.stream().map(each -> enter(each, all)).toList();
    round.forEach(Probe::awaitCompletion);
    Probe<Void> waiting = enter(all.getFirst(), all);
    enter(all.get(1), all);
    waiting.assertPending();
    stage().complete(all.get(1).close());
    waiting.awaitError(PeerUnreachableException.class);
  }
}
