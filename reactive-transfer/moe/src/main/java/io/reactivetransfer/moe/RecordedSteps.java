package io.reactivetransfer.moe;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** What a recorder is told of the steps of one lane; made only if there is one. In turns. */
final class RecordedSteps {

  private final Recording recording;
  private final MoeLane lane;

  /** Of the step that is under way, or was last. */
  private MoeRecorder.StepRecorder told = MoeRecorder.StepRecorder.NONE;

  private boolean isUnderWay;
  private boolean hasCome;
  private boolean isCombining;
  private long begunNanos;
  private long cameNanos;
  private long combiningNanos;

  RecordedSteps(Recording recording, MoeLane lane) {
    this.recording = recording;
    this.lane = lane;
  }

  void begun() {
    isUnderWay = true;
    hasCome = false;
    isCombining = false;
    begunNanos = System.nanoTime();
    told = recording.begin(lane.index(), lane.routing.tokens());
  }

  /** Experts have all tokens. */
  void tokensCame() {
    hasCome = true;
    cameNanos = System.nanoTime();
  }

  /** Experts have put their results. */
  void combining() {
    isCombining = true;
    combiningNanos = System.nanoTime();
  }

  /**
   * The first end counts; none if nothing is under way. Whatever goes wrong here ends nothing,
   * since a group that fails tells of all lanes before it goes on.
   */
  void ended(@Nullable MoeException failure) {
    if (!isUnderWay) {
      return;
    }
    isUnderWay = false;
    MoeRecorder.StepRecorder of = told;
    told = MoeRecorder.StepRecorder.NONE;
    recording.tell(() -> of.ended(endOf(failure)));
  }

  private End endOf(@Nullable MoeException failure) {
    long now = System.nanoTime();
    return new End(
        lane.index(),
        lane.routing.tokens(),
        hasCome ? lane.dispatch.receivedTokens() : 0,
        lane.dispatch.overflowTokens(),
        Duration.ofNanos(now - begunNanos),
        hasCome ? Duration.ofNanos(cameNanos - begunNanos) : null,
        isCombining ? Duration.ofNanos(combiningNanos - cameNanos) : null,
        isCombining && failure == null ? Duration.ofNanos(now - combiningNanos) : null,
        failure);
  }

  private record End(
      int lane,
      int tokens,
      long received,
      long overflow,
      Duration duration,
      @Nullable Duration dispatch,
      @Nullable Duration experts,
      @Nullable Duration combine,
      @Nullable MoeException failure)
      implements MoeRecorder.StepEnd {}
}
