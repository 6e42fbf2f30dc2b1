package io.reactivetransfer.moe;

import io.reactivetransfer.RegionDescriptor;
import java.util.List;

/** What ranks of a group say to each other, beside what they write. */
sealed interface MoeMessage {

  /** The most bytes of a group's name. */
  int MAX_NAME_BYTES = 255;

  /** The most bytes of a text for people. */
  int MAX_TEXT_BYTES = 4_096;

  /** As the immediate of a receiver that the sender has not heard of. */
  int NOT_HEARD = -1;

  /** The group that it is about. */
  GroupEpoch group();

  /**
   * What others need to write to a rank.
   *
   * @param rank which one it takes itself for
   * @param wantsAnswer whether it has not heard as much from the one that it tells
   * @param digest of the shape and of who the ranks are
   * @param shape the same of the shape, for people
   * @param ranks the same of the ranks, for people
   * @param imm the first of its immediates
   * @param descriptor of its memory
   */
  record Join(
      GroupEpoch group,
      int rank,
      boolean wantsAnswer,
      long digest,
      String shape,
      String ranks,
      int imm,
      RegionDescriptor descriptor)
      implements MoeMessage {}

  /**
   * The group is over.
   *
   * @param blamed the rank that is the reason, or -1
   * @param to the first immediate of the receiver, as the sender has heard it, or {@link
   *     #NOT_HEARD}: what is about an earlier group of the same name and epoch names another one
   * @param why for people
   */
  record GiveUp(GroupEpoch group, int blamed, int to, String why) implements MoeMessage {}

  /**
   * A rank takes part in no more steps.
   *
   * @param steps how many it has begun and ended on each lane
   */
  record Leave(GroupEpoch group, List<Long> steps) implements MoeMessage {}

  /** How far have you got on this lane? */
  record Ask(GroupEpoch group, int lane) implements MoeMessage {}

  /**
   * So far.
   *
   * @param progress as {@link MoeLane#progress()} has it
   */
  record Tell(GroupEpoch group, int lane, long progress) implements MoeMessage {}
}
