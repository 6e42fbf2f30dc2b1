package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.weights.version.Decisions.Answer;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** For each promise a machine with one mistake, and the world that finds it. */
@Timeout(600)
class SabotageTest {

  private static final int SEEDS = 1_000;

  /** A mistake of the ranks. */
  private static Mistake rank(RankMaker maker) {
    return new Mistake() {
      @Override
      RankMachine<Integer> rank(
          MemberId member, int buffers, RankMachine.Actions<Integer> actions) {
        return maker.make(member, buffers, actions);
      }
    };
  }

  private interface RankMaker {
    RankMachine<Integer> make(MemberId member, int buffers, RankMachine.Actions<Integer> actions);
  }

  /** A mistake in what is done for a rank. */
  private static Mistake actions(ActionsMaker maker) {
    return new Mistake() {
      @Override
      RankMachine.Actions<Integer> around(SimulatedRank rank) {
        return maker.make(rank);
      }
    };
  }

  private interface ActionsMaker {
    RankMachine.Actions<Integer> make(SimulatedRank rank);
  }

  private static Mistake controller(ControllerMaker maker) {
    return new Mistake() {
      @Override
      ControllerMachine controller(long id, ControllerMachine.Actions actions) {
        return maker.make(id, actions);
      }
    };
  }

  private interface ControllerMaker {
    ControllerMachine make(long id, ControllerMachine.Actions actions);
  }

  private static class Forwarding implements RankMachine.Actions<Integer> {
    final SimulatedRank rank;

    Forwarding(SimulatedRank rank) {
      this.rank = rank;
    }

    @Override
    public void stopLeases() {
      rank.stopLeases();
    }

    @Override
    public void resumeLeases() {
      rank.resumeLeases();
    }

    @Override
    public void serve(UpdateNumber update, long version, int buffer) {
      rank.serve(update, version, buffer);
    }

    @Override
    public void open(UpdateNumber update, int buffer, long arrivals) {
      rank.open(update, buffer, arrivals);
    }

    @Override
    public void seal(int buffer) {
      rank.seal(buffer);
    }

    @Override
    public void report(Integer to, Report report) {
      rank.report(to, report);
    }
  }

  enum Saboteur {
    OBEYS_REPLACED_CONTROLLERS(
        rank((member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              boolean isOld(Command command) {
                return false;
              }
            })),
    ENDS_ITS_WAIT_BY_ITSELF(
        rank((member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              boolean mayDropAlone(Phase phase) {
                return true;
              }
            })),
    WRITES_INTO_A_BUFFER_THAT_IS_READ(
        rank((member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              boolean isFree(int buffer) {
                return true;
              }
            })),
    BEGINS_WHAT_WAS_DROPPED(
        rank((member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              boolean isKnown(UpdateNumber of) {
                return false;
              }
            })),
    FORGETS_WHAT_IT_DROPPED(
        rank((member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              void end(UpdateNumber of, boolean flipped) {
                if (flipped) {
                  super.end(of, true);
                }
              }
            })),
    FORGETS_WHAT_IT_SERVES(
        rank((member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              void end(UpdateNumber of, boolean flipped) {
                super.end(of, false);
              }
            })),
    SERVES_WHILE_IT_IS_UNDECIDED(
        actions(rank ->
            new Forwarding(rank) {
              @Override
              public void stopLeases() {
                rank.checkDrained(0);
                rank.checkDrained(1);
              }
            })),
    SAYS_THAT_NOBODY_READS(
        actions(rank ->
            new Forwarding(rank) {
              @Override
              public void stopLeases() {
                rank.stopLeases();
                rank.later(() -> {
                  rank.machine.drained(0);
                  rank.machine.drained(1);
                });
              }
            })),
    ENDS_NO_KEY(
        actions(rank ->
            new Forwarding(rank) {
              @Override
              public void seal(int buffer) {
                rank.later(() -> rank.machine.sealed(buffer));
              }
            })),
    COUNTS_TOO_EARLY(
        actions(rank ->
            new Forwarding(rank) {
              @Override
              public void open(UpdateNumber update, int buffer, long arrivals) {
                rank.open(update, buffer, arrivals - 1);
              }
            })),
    FLIPS_WITHOUT_THE_LAST_VOTE(
        controller((id, actions) ->
            new ControllerMachine(id, actions) {
              @Override
              boolean allThere(long there, long all) {
                return there >= Math.max(1, all - 1);
              }
            })),
    FLIPS_WITHOUT_WHO_IS_LOST(
        controller((id, actions) ->
            new ControllerMachine(id, actions) {
              @Override
              @Nullable String failure() {
                return null;
              }

              @Override
              boolean isThere(RankView view) {
                return view.isLost || super.isThere(view);
              }
            })),
    RECOVERS_WITHOUT_ASKING_ALL(
        controller((id, actions) ->
            new ControllerMachine(id, actions) {
              @Override
              Decisions.@Nullable End recovered(List<Answer> answers) {
                Decisions.End end = super.recovered(answers);
                return end == null ? Decisions.End.COMMIT : end;
              }
            })),
    DROPS_WHAT_NOT_ALL_HAVE_CONFIRMED(
        controller((id, actions) ->
            new ControllerMachine(id, actions) {
              @Override
              Decisions.@Nullable End recovered(List<Answer> answers) {
                return answers.stream().allMatch(Answer.FLIPPED::equals)
                    ? Decisions.End.COMMIT
                    : Decisions.End.ABORT;
              }
            })),
    FLIPS_WHAT_SOMEBODY_DROPPED(
        controller((id, actions) ->
            new ControllerMachine(id, actions) {
              @Override
              Decisions.@Nullable End recovered(List<Answer> answers) {
                return answers.contains(Answer.UNKNOWN) ? null : Decisions.End.COMMIT;
              }
            })),
    WAITS_FOR_WHO_IS_NOT_NEEDED(
        controller((id, actions) ->
            new ControllerMachine(id, actions) {
              @Override
              Decisions.@Nullable End recovered(List<Answer> answers) {
                return answers.contains(Answer.DEAD) ? null : super.recovered(answers);
              }
            })),
    NEVER_OUTBIDS(
        controller((id, actions) ->
            new ControllerMachine(id, actions) {
              @Override
              void bid(long round) {
                super.bid(1);
              }
            })),
    NUMBERS_REPEAT(
        controller((id, actions) ->
            new ControllerMachine(id, actions) {
              @Override
              long nextSerial() {
                return 1;
              }
            }));

    private final Mistake mistake;

    Saboteur(Mistake mistake) {
      this.mistake = mistake;
    }
  }

  @ParameterizedTest
  @EnumSource
  void isFound(Saboteur saboteur) {
    for (long seed = 0; seed < SEEDS; seed++) {
      World world = new World(seed, saboteur.mistake);
      try {
        if (seed % 2 == 0) {
          world.run(ExplorationTest.STEPS);
        } else {
          UpdateMode mode = UpdateMode.values()[(int) seed / 2 % UpdateMode.values().length];
          world.runUntil(mode, (int) (seed * 31 % 45), (int) (seed / 2 % 5), seed % 4 == 1);
        }
      } catch (World.Broken broken) {
        return;
      }
    }
    assertThat(saboteur).as("found within " + SEEDS + " seeds").isNull();
  }
}
