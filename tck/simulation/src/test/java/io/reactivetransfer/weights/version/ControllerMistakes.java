package io.reactivetransfer.weights.version;

import io.reactivetransfer.TransferEngine;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.Scheduler;

/** Controllers that decide wrongly in one way each. */
public final class ControllerMistakes {

  private ControllerMistakes() {}

  /** It flips when all but one have voted. */
  public static WeightsController needsNoLastVote(
      TransferEngine engine, Scheduler timers, long id) {
    return WeightsController.open(
        engine,
        timers,
        id,
        (number, actions) ->
            new ControllerMachine(number, actions) {
              @Override
              boolean allThere(long there, long all) {
                return there >= Math.max(1, all - 1);
              }
            });
  }

  /** It flips without those who are lost. */
  public static WeightsController needsNoneWhoIsLost(
      TransferEngine engine, Scheduler timers, long id) {
    return WeightsController.open(
        engine,
        timers,
        id,
        (number, actions) ->
            new ControllerMachine(number, actions) {
              @Override
              @Nullable String failure() {
                return null;
              }

              @Override
              boolean isThere(RankView view) {
                return view.isLost || super.isThere(view);
              }
            });
  }

  /** It recovers to the flip before it knows of all. */
  public static WeightsController asksNotAll(TransferEngine engine, Scheduler timers, long id) {
    return WeightsController.open(
        engine,
        timers,
        id,
        (number, actions) ->
            new ControllerMachine(number, actions) {
              @Override
              Decisions.@Nullable End recovered(List<Decisions.Answer> answers) {
                Decisions.End end = super.recovered(answers);
                return end == null ? Decisions.End.COMMIT : end;
              }
            });
  }

  /** It recovers to an abort where somebody has not heard of the flip. */
  public static WeightsController dropsWhatHasFlipped(
      TransferEngine engine, Scheduler timers, long id) {
    return WeightsController.open(
        engine,
        timers,
        id,
        (number, actions) ->
            new ControllerMachine(number, actions) {
              @Override
              Decisions.@Nullable End recovered(List<Decisions.Answer> answers) {
                return answers.stream().allMatch(Decisions.Answer.FLIPPED::equals)
                    ? Decisions.End.COMMIT
                    : Decisions.End.ABORT;
              }
            });
  }

  /** It recovers to the flip of what somebody has dropped. */
  public static WeightsController flipsWhatWasDropped(
      TransferEngine engine, Scheduler timers, long id) {
    return WeightsController.open(
        engine,
        timers,
        id,
        (number, actions) ->
            new ControllerMachine(number, actions) {
              @Override
              Decisions.@Nullable End recovered(List<Decisions.Answer> answers) {
                return answers.contains(Decisions.Answer.UNKNOWN) ? null : Decisions.End.COMMIT;
              }
            });
  }

  /** It never outbids another one. */
  public static WeightsController neverOutbids(TransferEngine engine, Scheduler timers, long id) {
    return WeightsController.open(
        engine,
        timers,
        id,
        (number, actions) ->
            new ControllerMachine(number, actions) {
              @Override
              void bid(long round) {
                super.bid(1);
              }
            });
  }

  /** All its updates have one number. */
  public static WeightsController repeatsNumbers(TransferEngine engine, Scheduler timers, long id) {
    return WeightsController.open(
        engine,
        timers,
        id,
        (number, actions) ->
            new ControllerMachine(number, actions) {
              @Override
              long nextSerial() {
                return 1;
              }
            });
  }
}
