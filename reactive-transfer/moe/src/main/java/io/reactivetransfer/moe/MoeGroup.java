package io.reactivetransfer.moe;

import reactor.core.publisher.Mono;

/**
 * One rank's part in a group of ranks that exchange tokens. Made by {@link MoeNode#join}; safe from
 * any thread.
 *
 * <p>A group fails as a whole: when a rank is lost, has left, has given a step up or cancelled it,
 * or when a wait has taken longer than the deadline, all that is under way on all lanes of all
 * ranks ends with a {@link GroupFailedException} that names the rank, and nothing begins any more.
 * A step that is {@linkplain StepRefusedException refused} is no failure.
 */
public final class MoeGroup {

  private final Group group;

  MoeGroup(Group group) {
    this.group = group;
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
    return group.failure() != null;
  }

  /**
   * Takes part in no more steps, and gives everything back. If all halves of all steps that were
   * begun here have ended, others end these steps, too, and it waits until all others have closed,
   * at most {@link MoeOptions#closeTimeout()}. Otherwise the group fails, on all ranks. Completes
   * when nothing of the group touches memory here any more; it may then be freed. Closing again
   * completes together with the first. Cancelling drops the signal.
   */
  public Mono<Void> close() {
    return Mono.defer(() -> {
      group.turns.run(group::close);
      return group.closed();
    });
  }
}
