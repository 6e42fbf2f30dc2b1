package io.reactivetransfer.moe;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferEngine;
import java.lang.foreign.MemorySegment;
import java.util.List;
import reactor.core.publisher.Mono;

/**
 * One rank's part in a group of ranks that exchange tokens. Made by {@link MoeNode#join}; safe from
 * any thread.
 *
 * <p>A group fails as a whole: when a rank is lost, is needed after it has left, has given a step
 * up or cancelled it, or when a wait has taken longer than the deadline, all that is under way on
 * all lanes of all ranks ends with a {@link GroupFailedException} that names the rank, and nothing
 * begins any more. A step that is {@linkplain StepRefusedException refused} is no failure.
 */
public final class MoeGroup {

  private final Group group;
  private final MoeNode node;

  MoeGroup(Group group, MoeNode node) {
    this.group = group;
    this.node = node;
  }

  /** Its name, the same in each epoch. */
  public String name() {
    return group.id.name();
  }

  /** Which of the groups of this name it is: 0, or what it was {@linkplain #regroup made} with. */
  public long epoch() {
    return group.id.epoch();
  }

  /** On which engine it is. */
  public TransferEngine engine() {
    return group.engine;
  }

  /** What all ranks have agreed on. */
  public MoeShape shape() {
    return group.shape;
  }

  /** Which rank this engine is. */
  public int rank() {
    return group.ranks.own();
  }

  /**
   * Where one step after the other is done. Steps of different lanes overlap, and all ranks begin
   * the steps of one lane in the same order.
   *
   * @param index 0 to {@code shape().lanes() - 1}
   */
  public MoeLane lane(int index) {
    Checks.between("lane", index, 0, group.shape.lanes() - 1);
    return group.lane(index);
  }

  /** Whether it has failed or was closed: no step begins any more. */
  public boolean isOver() {
    return group.failure() != null || group.release.isClosing();
  }

  /**
   * Goes on as another group of the same name, in a later epoch: without those that have died, or
   * with some that have come. Those that are in this group regroup, and those that come {@linkplain
   * MoeNode#join(String, long, MoeShape, List, MemorySegment, MoeOptions) join}, all with the same
   * epoch, shape and ranks, which are the caller's to decide on and to agree on. The work starts
   * with the subscription, which is for one group each.
   *
   * <p>First this group {@linkplain #close() closes}, whether it has failed or not, with all that
   * this means for its steps: if none is under way here, others end theirs, and this waits until
   * all of its ranks have left it, at most {@link MoeOptions#closeTimeout()}; otherwise those that
   * are under way end with a {@link GroupFailedException} on all ranks, as do all that are begun on
   * it later. Then it joins the other, as if it were new. So memory is registered anew, and what
   * anybody still writes or says in this epoch reaches nothing of the next.
   *
   * <p>Emits the new group when all of its ranks have joined it. Fails as {@code join} does, with
   * {@link GroupFailedException} and the rank that is the reason if one dies, gives up, or does not
   * agree; try again with a greater epoch, by this or by {@link MoeNode#join(String, long,
   * MoeShape, List, MemorySegment, MoeOptions)}. Options are those of this group. Cancelling gives
   * everything back; this group closes all the same.
   *
   * <p>It may be called again, if that has failed or was cancelled. A group that has come of it is
   * the one to regroup from then on: while it goes on, this fails with an {@link
   * IllegalStateException}.
   *
   * @param epoch greater than {@link #epoch()}
   * @param shape for the ranks and the experts that there are then
   * @param ranks all engines in the order of the ranks, this one included; they may have other
   *     numbers than before
   * @param memory as {@code join} has it. May be what this group uses, since that was given back
   *     before it is registered again; but not before all experts that compute in it have ended, of
   *     which the library does not know
   * @throws IllegalArgumentException if one of these is something else
   */
  public Mono<MoeGroup> regroup(
      long epoch, MoeShape shape, List<PeerAddress> ranks, MemorySegment memory) {
    if (epoch <= epoch()) {
      throw new IllegalArgumentException(
          "expected an epoch above " + epoch() + ", which is that of this group, got " + epoch);
    }
    return close().then(node.join(name(), epoch, shape, ranks, memory, group.options));
  }

  /**
   * Takes part in no more steps, and gives everything back. If all halves of all steps that were
   * begun here have ended, others end these steps, too, and it waits until all others have closed,
   * at most {@link MoeOptions#closeTimeout()}. Otherwise the group fails, on all ranks. Completes
   * when nothing of the group touches memory here any more; it may then be freed. Of a group that
   * fails while {@linkplain MoeStep#dispatchSend(io.reactivetransfer.MemorySlice, long) registered
   * tokens} are sent, that is when no transfer of this engine reads their region, whoever's it is.
   * Closing again completes together with the first. Cancelling drops the signal.
   */
  public Mono<Void> close() {
    return Mono.defer(() -> {
      group.turns.run(group.release::close);
      return group.release.closed();
    });
  }
}
