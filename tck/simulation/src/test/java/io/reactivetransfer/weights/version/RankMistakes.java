package io.reactivetransfer.weights.version;

import io.reactivetransfer.Peer;

/** Inference ranks that decide wrongly in one way each. */
public final class RankMistakes {

  private RankMistakes() {}

  /** It obeys controllers that were replaced. */
  public static WeightsRankBuilder obeysReplacedControllers(WeightsRankBuilder sound) {
    sound.machines =
        (member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              boolean isOld(Command command) {
                return false;
              }
            };
    return sound;
  }

  /** When its controller is lost, it forgets its vote. */
  public static WeightsRankBuilder forgetsItsVote(WeightsRankBuilder sound) {
    sound.machines =
        (member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              boolean mayDropAlone(Phase phase) {
                return true;
              }
            };
    return sound;
  }

  /** It opens a buffer that is read. */
  public static WeightsRankBuilder opensWhatIsRead(WeightsRankBuilder sound) {
    sound.machines =
        (member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              boolean isFree(int buffer) {
                return true;
              }
            };
    return sound;
  }

  /** It forgets what it has dropped. */
  public static WeightsRankBuilder forgetsWhatItDropped(WeightsRankBuilder sound) {
    sound.machines =
        (member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              void end(UpdateNumber of, boolean flipped) {
                if (flipped) {
                  super.end(of, true);
                }
              }
            };
    return sound;
  }

  /** It says that it has dropped what it serves. */
  public static WeightsRankBuilder deniesWhatItServes(WeightsRankBuilder sound) {
    sound.machines =
        (member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              void end(UpdateNumber of, boolean flipped) {
                super.end(of, false);
              }
            };
    return sound;
  }

  /** It votes, and goes on giving leases. */
  public static WeightsRankBuilder servesBehindItsVote(WeightsRankBuilder sound) {
    return acting(
        sound,
        actions ->
            new Forwarding(actions) {
              @Override
              public void stopLeases() {}
            });
  }

  /** It gives leases of what an update in place has begun to write, and was dropped. */
  public static WeightsRankBuilder servesTorn(WeightsRankBuilder sound) {
    return acting(
        sound,
        actions ->
            new Forwarding(actions) {
              private UpdateNumber served = UpdateNumber.NONE;
              private long version;
              private int at = -1;
              private int opened = -1;

              @Override
              public void serve(UpdateNumber update, long of, int buffer) {
                served = update;
                version = of;
                at = buffer;
                super.serve(update, of, buffer);
              }

              @Override
              public void open(UpdateNumber update, int buffer, long arrivals) {
                opened = buffer;
                super.open(update, buffer, arrivals);
              }

              @Override
              public void dropped(UpdateNumber update, String why) {
                if (at >= 0 && opened == at) {
                  super.serve(served, version, at);
                }
              }
            });
  }

  /** It takes for here what lacks one write. */
  public static WeightsRankBuilder countsTooFew(WeightsRankBuilder sound) {
    return acting(
        sound,
        actions ->
            new Forwarding(actions) {
              @Override
              public void open(UpdateNumber update, int buffer, long arrivals) {
                super.open(update, buffer, Math.max(1, arrivals - 1));
              }
            });
  }

  /** It says of old leases that they are closed. */
  public static WeightsRankBuilder saysThatNobodyReads(WeightsRankBuilder sound) {
    sound.machines =
        (member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              void tick() {
                for (int buffer = 0; buffer < buffers; buffer++) {
                  drained(buffer);
                }
                super.tick();
              }
            };
    return sound;
  }

  /** It flips at once where it should wait for those who read the old version. */
  public static WeightsRankBuilder outlives(WeightsRankBuilder sound) {
    sound.machines =
        (member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              void receive(Command command, Peer from) {
                super.receive(outliving(command), from);
              }
            };
    return sound;
  }

  private static Command outliving(Command command) {
    return command instanceof Command.Prepare it && it.mode() == UpdateMode.TWO_BUFFERS_WAIT
        ? new Command.Prepare(
            it.term(),
            it.incarnation(),
            it.update(),
            it.version(),
            UpdateMode.TWO_BUFFERS_OUTLIVE,
            it.arrivals(),
            it.hasSums(),
            it.members(),
            it.traceContext())
        : command;
  }

  /** It calls the version by another name. */
  public static WeightsRankBuilder misnames(WeightsRankBuilder sound) {
    return acting(
        sound,
        actions ->
            new Forwarding(actions) {
              @Override
              public void serve(UpdateNumber update, long version, int buffer) {
                super.serve(update, version + (update.serial() % 2), buffer);
              }
            });
  }

  /** It does not hear how its update ended. */
  public static WeightsRankBuilder isDeafBehindItsVote(WeightsRankBuilder sound) {
    sound.machines =
        (member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              void receive(Command command, Peer from) {
                if (!(command instanceof Command.Commit it && it.update().serial() % 2 == 0)) {
                  super.receive(command, from);
                }
              }
            };
    return sound;
  }

  /** It takes the call for the flip for an abort. */
  public static WeightsRankBuilder keepsWhatItHad(WeightsRankBuilder sound) {
    sound.machines =
        (member, buffers, actions) ->
            new RankMachine<>(member, buffers, actions) {
              @Override
              void receive(Command command, Peer from) {
                super.receive(
                    command instanceof Command.Commit it && member.incarnation() % 2 == 0
                        ? new Command.Abort(it.term(), it.incarnation(), it.update(), false, "")
                        : command,
                    from);
              }
            };
    return sound;
  }

  private interface Acting {
    RankMachine.Actions<Peer> around(RankMachine.Actions<Peer> actions);
  }

  private static WeightsRankBuilder acting(WeightsRankBuilder sound, Acting acting) {
    sound.machines =
        (member, buffers, actions) -> new RankMachine<>(member, buffers, acting.around(actions));
    return sound;
  }

  private static class Forwarding implements RankMachine.Actions<Peer> {
    private final RankMachine.Actions<Peer> sound;

    Forwarding(RankMachine.Actions<Peer> sound) {
      this.sound = sound;
    }

    @Override
    public void stopLeases() {
      sound.stopLeases();
    }

    @Override
    public void resumeLeases() {
      sound.resumeLeases();
    }

    @Override
    public void serve(UpdateNumber update, long version, int buffer) {
      sound.serve(update, version, buffer);
    }

    @Override
    public void open(UpdateNumber update, int buffer, long arrivals) {
      sound.open(update, buffer, arrivals);
    }

    @Override
    public void seal(int buffer) {
      sound.seal(buffer);
    }

    @Override
    public void report(Peer to, Report report) {
      sound.report(to, report);
    }
  }
}
