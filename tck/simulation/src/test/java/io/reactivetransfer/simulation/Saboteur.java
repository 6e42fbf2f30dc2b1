package io.reactivetransfer.simulation;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.spi.WorkerLoop;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import io.reactivetransfer.tck.ForwardingSink;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** NICs and control channels with one defect each. Most of them behave most of the time. */
public enum Saboteur {
  COUNTS_BEFORE_THE_BYTES_ARE_THERE(nic(CountsEarly::new)),
  LOSES_AN_ARRIVAL(nic((inner, context) -> arrivals(inner, 0))),
  COUNTS_AN_ARRIVAL_TWICE(nic((inner, context) -> arrivals(inner, 2))),
  LOSES_A_COMPLETION(nic((inner, context) -> completions(inner, 0))),
  REPORTS_A_COMPLETION_TWICE(nic((inner, context) -> completions(inner, 2))),
  COMPLETES_BEFORE_DELIVERY(nic((inner, context) -> new EndsEarly(inner, context, false))),
  FAILS_WHAT_IT_GOES_ON_WITH(nic((inner, context) -> new EndsEarly(inner, context, true))),
  TAKES_A_FAILURE_FOR_A_SUCCESS(nic((inner, context) -> failureAsSuccess(inner))),
  WRITES_BEYOND_THE_END(nic((inner, context) -> writing(inner, Saboteur::oneMore))),
  WRITES_BESIDE_THE_TARGET(nic((inner, context) -> writing(inner, Saboteur::beside))),
  WRITES_ONE_BYTE_LESS(nic((inner, context) -> writing(inner, Saboteur::oneLess))),
  WRITES_ROWS_WITHOUT_GAPS(nic((inner, context) -> RowSaboteurs.withoutGaps(inner))),
  TAKES_LISTED_ROWS_FOR_EVEN_ONES(nic((inner, context) -> RowSaboteurs.evenly(inner))),
  SORTS_LISTED_ROWS(nic((inner, context) -> RowSaboteurs.sorted(inner))),
  GATHERS_BY_THE_LIST_OF_BEFORE(nic((inner, context) -> RowSaboteurs.before(inner))),
  IGNORES_A_REVOKE(nic((inner, context) -> ignoresRevoke(inner))),
  GOES_ON_AFTER_CLOSE(nic((inner, context) -> ignoresClose(inner))),
  COMPLETES_A_FENCE_BEFORE_IT_SHUTS(nic(FencesLate::new), ActKind.RETRY, ActKind.CUT, ActKind.CUT),
  IGNORES_A_DISCONNECT(nic((inner, context) -> ignoresDisconnect(inner))),
  LOSES_WHAT_IT_SAYS(nic((inner, context) -> says(inner, 0))),
  SAYS_THINGS_TWICE(nic((inner, context) -> says(inner, 2))),
  TAKES_A_LOST_WAY_FOR_A_LOST_PEER(ControlSaboteurs::wayIsPeer),
  LOSES_A_MESSAGE(control((inner, context) -> ControlSaboteurs.losesMessage(inner))),
  MIXES_CHANNELS(control((inner, context) -> ControlSaboteurs.mixesChannels(inner))),
  LOSES_A_SESSION_SILENTLY(control((inner, context) -> ControlSaboteurs.noPeerLost(inner))),
  REORDERS_MESSAGES(control((inner, context) -> new ControlSaboteurs.Reorders(inner))),
  TELLS_A_MESSAGE_TWICE(control((inner, context) -> ControlSaboteurs.messageTwice(inner))),
  MIXES_SESSIONS(control((inner, context) -> ControlSaboteurs.mixesSessions(inner))),
  TAKES_A_RESTARTED_ENGINE_FOR_THE_OLD_ONE(control(ControlSaboteurs.Residents::new)),
  FINDS_WHO_IS_NOT_THERE(control((inner, context) -> ControlSaboteurs.findsOther(inner))),
  LOSES_SIGNS_OF_LIFE(control((inner, context) -> ControlSaboteurs.losesSignsOfLife(inner))),
  SHUTS_NO_LOST_WAY(
      control((inner, context) -> new ControlSaboteurs.FencesAtOnce(inner)),
      ActKind.RETRY,
      ActKind.CUT,
      ActKind.CUT),
  TAKES_NOTHING_BACK(
      control((inner, context) -> ControlSaboteurs.aborts(inner, ControlSaboteurs::withoutShares))),
  RENEWS_THE_NOTE(
      control((inner, context) -> ControlSaboteurs.aborts(inner, ControlSaboteurs::withNote))),
  BEGINS_ANEW_BEFORE_IT_WAS_TOLD(control(ControlSaboteurs.TellsLate::new)),
  ENTERS_A_BARRIER_FOR_ANOTHER(
      control((inner, context) -> new ControlSaboteurs.EntersTwice(inner)));

  private static final int SOMETIMES = 7;
  private static final int ROUNDS = 8;

  /** Messages of a NIC that come through. */
  private static final int SOUND = 3;

  @SuppressWarnings("ImmutableEnumChecker") // only method references and lambdas
  private final UnaryOperator<Backend> sabotage;

  @SuppressWarnings("ImmutableEnumChecker") // nobody changes it
  private final List<ActKind> round;

  /**
   * With one defect.
   *
   * <p>Two have chosen acts. What a lost way still carries must come after a retry has discarded,
   * so that needs a retry, a way that breaks while it is under way, and an attempt that fails
   * within a fraction of a millisecond of that. Of the first 1,000 seeds with acts as they are
   * drawn, three find who completes a fence too early, and none who shuts no lost way; with these
   * acts, both are found within the first 200.
   *
   * @param round what happens again and again in the runs that are to find it; if nothing, what
   *     happens in any
   */
  Saboteur(UnaryOperator<Backend> sabotage, ActKind... round) {
    this.sabotage = sabotage;
    this.round = List.of(round);
  }

  /** Runs a seed on it. */
  Simulation.Result run(Simulation simulation, long seed) {
    return round.isEmpty()
        ? simulation.run(seed)
        : simulation.run(seed, Simulation.rounds(ROUNDS, round));
  }

  /** What stands for a sound one. */
  public Backend apply(Backend sound) {
    return sabotage.apply(sound);
  }

  private static UnaryOperator<Backend> nic(BiFunction<Domain, OpenContext, Domain> wrapper) {
    return sound -> new ForwardingBackend(sound, wrapper);
  }

  private static UnaryOperator<Backend> control(
      BiFunction<ControlChannel, ControlContext, ControlChannel> wrapper) {
    return sound -> new ForwardingBackend(sound, (domain, context) -> domain, wrapper);
  }

  private static Domain arrivals(Domain inner, int times) {
    return new ForwardingDomain(inner) {
      private int arrivals;

      @Override
      public int poll(CompletionSink sink) {
        return inner.poll(
            new ForwardingSink(sink) {
              @Override
              public void immArrived(int imm, long bytes) {
                int now = ++arrivals % SOMETIMES == 0 ? times : 1;
                for (int i = 0; i < now; i++) {
                  inner.immArrived(imm, bytes);
                }
              }

              @Override
              public void immArrived(EngineId origin, int imm, long bytes) {
                immArrived(imm, bytes);
              }
            });
      }
    };
  }

  private static Domain completions(Domain inner, int times) {
    return new ForwardingDomain(inner) {
      private int completions;

      @Override
      public int poll(CompletionSink sink) {
        return inner.poll(
            new ForwardingSink(sink) {
              @Override
              public void written(long token) {
                int now = ++completions % SOMETIMES == 0 ? times : 1;
                for (int i = 0; i < now; i++) {
                  inner.written(token);
                }
              }
            });
      }
    };
  }

  private static Domain says(Domain inner, int times) {
    return new ForwardingDomain(inner) {
      private int messages;

      @Override
      public int poll(CompletionSink sink) {
        return inner.poll(
            new ForwardingSink(sink) {
              @Override
              public void toPeer(RemotePeer peer, ByteBuffer message) {
                int now = ++messages > SOUND ? times : 1; // what is lost once is said again
                for (int i = 0; i < now; i++) {
                  inner.toPeer(peer, message.duplicate());
                }
              }
            });
      }
    };
  }

  private static Domain failureAsSuccess(Domain inner) {
    return new ForwardingDomain(inner) {
      @Override
      public int poll(CompletionSink sink) {
        return inner.poll(
            new ForwardingSink(sink) {
              @Override
              public void failed(long token, int code, String text) {
                inner.written(token);
              }
            });
      }
    };
  }

  private interface Change {
    Operation of(Operation op);
  }

  /** Posts something else now and then, where that is within all bounds. */
  private static Domain writing(Domain inner, Change change) {
    return new ForwardingDomain(inner) {
      private int posts;

      @Override
      public PostResult post(Operation op) {
        if (op.length() == 0 || ++posts % SOMETIMES != 0) {
          return inner.post(op);
        }
        Operation changed = change.of(op.copy());
        if (changed.length() > inner.capabilities().maxWriteBytes()) {
          return inner.post(op);
        }
        try {
          return inner.post(changed);
        } catch (IndexOutOfBoundsException e) {
          return inner.post(op);
        }
      }
    };
  }

  private static Operation oneMore(Operation op) {
    return op.range(op.localOffset(), op.remoteOffset(), op.length() + 1);
  }

  private static Operation oneLess(Operation op) {
    return op.range(op.localOffset(), op.remoteOffset(), op.length() - 1);
  }

  private static Operation beside(Operation op) {
    return op.range(op.localOffset(), op.remoteOffset() + 1, op.length());
  }

  private static Domain ignoresRevoke(Domain inner) {
    return new ForwardingDomain(inner) {
      @Override
      public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
        return CompletableFuture.completedStage(memory);
      }
    };
  }

  private static Domain ignoresClose(Domain inner) {
    return new ForwardingDomain(inner) {
      @Override
      public CompletionStage<Void> deregister(LocalMemory memory) {
        return CompletableFuture.completedStage(null);
      }

      @Override
      public void close() {}
    };
  }

  private static Domain ignoresDisconnect(Domain inner) {
    return new ForwardingDomain(inner) {
      @Override
      public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
        return CompletableFuture.completedStage(null);
      }
    };
  }

  /** Says that a way is shut, and shuts it a little later. */
  private static final class FencesLate extends ForwardingDomain {
    private static final long LATE_NANOS = 3_000_000;

    private final WorkerLoop loop;
    private final Map<RemotePeer, String> open = new HashMap<>();

    FencesLate(Domain inner, OpenContext context) {
      super(inner);
      loop = Objects.requireNonNull(context.loop());
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      open.put(peer, reason);
      loop.schedule(() -> shut(peer), LATE_NANOS);
      return CompletableFuture.completedStage(null);
    }

    private void shut(RemotePeer peer) {
      String reason = open.remove(peer);
      if (reason != null) {
        inner.disconnect(peer, reason);
      }
    }

    @Override
    public void release(RemotePeer peer) {
      shut(peer);
      inner.release(peer);
    }

    @Override
    public void close() {
      open.clear();
      inner.close();
    }
  }

  /** The immediate goes ahead of the bytes. */
  private static final class CountsEarly extends ForwardingDomain {
    private final OpenContext context;
    private final ArrayDeque<Operation> rest = new ArrayDeque<>();
    private int ahead;

    CountsEarly(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public PostResult post(Operation op) {
      if (!op.hasImm() || op.length() < 8 || !rest.isEmpty()) {
        return inner.post(op);
      }
      Operation bell = op.copy().range(op.localOffset(), op.remoteOffset(), 0).token(-1);
      if (!inner.post(bell).isTaken()) {
        return PostResult.NIC_BUSY;
      }
      ahead++;
      rest.add(op.copy().withoutImm());
      context.doorbell().ring();
      return PostResult.TAKEN;
    }

    @Override
    public int poll(CompletionSink sink) {
      if (!rest.isEmpty() && ahead == 0 && inner.post(rest.peek()).isTaken()) {
        rest.remove();
      }
      return inner.poll(
          new ForwardingSink(sink) {
            @Override
            public void written(long token) {
              if (token == -1) {
                ahead = 0;
                context.doorbell().ring();
              } else {
                inner.written(token);
              }
            }

            @Override
            public void failed(long token, int code, String text) {
              if (token == -1) {
                ahead = 0;
                context.doorbell().ring();
              } else {
                inner.failed(token, code, text);
              }
            }
          });
    }
  }

  /** Tells the end of some writes as soon as they are posted. */
  private static final class EndsEarly extends ForwardingDomain {
    private final OpenContext context;
    private final boolean fails;
    private final ArrayDeque<Long> early = new ArrayDeque<>();
    private int posts;

    EndsEarly(Domain inner, OpenContext context, boolean fails) {
      super(inner);
      this.context = context;
      this.fails = fails;
    }

    @Override
    public PostResult post(Operation op) {
      if (op.length() == 0 || ++posts % SOMETIMES != 0) {
        return inner.post(op);
      }
      if (!inner.post(op.copy().token(-1)).isTaken()) {
        return PostResult.NIC_BUSY;
      }
      early.add(op.token());
      context.doorbell().ring();
      return PostResult.TAKEN;
    }

    @Override
    public int poll(CompletionSink sink) {
      int told = early.size();
      while (!early.isEmpty()) {
        if (fails) {
          sink.failed(early.remove(), 1, "sabotage");
        } else {
          sink.written(early.remove());
        }
      }
      return told
          + inner.poll(
              new ForwardingSink(sink) {
                @Override
                public void written(long token) {
                  if (token != -1) {
                    inner.written(token);
                  }
                }

                @Override
                public void failed(long token, int code, String text) {
                  if (token != -1) {
                    inner.failed(token, code, text);
                  }
                }
              });
    }
  }
}
