package io.reactivetransfer.simulation;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingControl;
import io.reactivetransfer.tck.ForwardingControlSink;
import io.reactivetransfer.tck.ForwardingDomain;
import io.reactivetransfer.tck.ForwardingSink;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Control channels with one defect each. */
final class ControlSaboteurs {

  /** The first byte of a message of the application, of a sign of life, and so on. */
  private static final byte MESSAGE = 2;

  private static final byte ALIVE = 5;

  private static final byte ABORT = 6;
  private static final byte ABORTED = 9;
  private static final byte BARRIER = 7;

  /** Where an abort has the shares that are to be taken back, and its flags; some of these. */
  private static final int SHARES_AT = 9;

  private static final int FLAGS_AT = 17;
  private static final int FAILS = 1;
  private static final int NOTE = 2;
  private static final int RESUMED = 8;

  private static final byte FENCE = 16;
  private static final byte FENCED = 17;

  private static final int SOMETIMES = 7;

  private ControlSaboteurs() {}

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }

  private static boolean is(byte kind, ByteBuffer bytes) {
    return bytes.hasRemaining() && bytes.get(bytes.position()) == kind;
  }

  // ---- the session ----

  /** When one NIC has lost its way to a peer, the peer is called lost. */
  static Backend wayIsPeer(Backend sound) {
    record Loss(EngineId peer, int code, String text) {}
    ArrayDeque<Loss> losses = new ArrayDeque<>();
    return new ForwardingBackend(
        sound,
        (nic, context) ->
            new ForwardingDomain(nic) {
              @Override
              public int poll(CompletionSink sink) {
                return inner.poll(
                    new ForwardingSink(sink) {
                      @Override
                      public void peerLost(EngineId peer, int code, String text) {
                        losses.add(new Loss(peer, code, text));
                        inner.peerLost(peer, code, text);
                        context.doorbell().ring();
                      }
                    });
              }
            },
        (channel, context) ->
            new ForwardingControl(channel) {
              @Override
              public int poll(ControlSink sink) {
                int told = 0;
                for (Loss loss; (loss = losses.poll()) != null; told++) {
                  sink.peerLost(loss.peer(), loss.code(), loss.text());
                }
                return told + inner.poll(sink);
              }
            });
  }

  static ControlChannel losesMessage(ControlChannel inner) {
    return new ForwardingControl(inner) {
      private int sent;

      @Override
      public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
        return ++sent % SOMETIMES == 0 || inner.send(to, at, bytes);
      }
    };
  }

  /** Gives some messages to who reads another channel. */
  static ControlChannel mixesChannels(ControlChannel inner) {
    return new ForwardingControl(inner) {
      private int sent;

      @Override
      public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
        if (!is(MESSAGE, bytes) || ++sent % SOMETIMES != 0) {
          return inner.send(to, at, bytes);
        }
        ByteBuffer other = copy(bytes);
        return inner.send(to, at, other.put(1, (byte) ((other.get(1) + 1) % Letters.CHANNELS)));
      }
    };
  }

  static ControlChannel noPeerLost(ControlChannel inner) {
    return new ForwardingControl(inner) {
      @Override
      public int poll(ControlSink sink) {
        return inner.poll(
            new ForwardingControlSink(sink) {
              @Override
              public void peerLost(EngineId peer, int code, String text) {}
            });
      }
    };
  }

  /** Gives the last one that was found again. */
  static ControlChannel findsOther(ControlChannel inner) {
    return new ForwardingControl(inner) {
      private final ArrayDeque<EngineId> found = new ArrayDeque<>();

      @Override
      public int poll(ControlSink sink) {
        return inner.poll(
            new ForwardingControlSink(sink) {
              @Override
              public void found(long token, EngineId peer) {
                found.add(peer);
                inner.found(token, found.size() > 1 ? found.remove() : peer);
              }
            });
      }
    };
  }

  /** The last message of a session that was lost is told in the next one, too. */
  static ControlChannel mixesSessions(ControlChannel inner) {
    return new ForwardingControl(inner) {
      private final Map<EngineId, ByteBuffer> last = new HashMap<>();
      private final Map<EngineId, ByteBuffer> late = new HashMap<>();

      @Override
      public int poll(ControlSink sink) {
        return inner.poll(
            new ForwardingControlSink(sink) {
              @Override
              public void received(EngineId sender, ByteBuffer bytes) {
                if (is(MESSAGE, bytes)) {
                  last.put(sender, copy(bytes));
                }
                inner.received(sender, bytes);
                ByteBuffer before = is(MESSAGE, bytes) ? late.remove(sender) : null;
                if (before != null) {
                  inner.received(sender, before);
                }
              }

              @Override
              public void peerLost(EngineId peer, int code, String text) {
                inner.peerLost(peer, code, text);
                ByteBuffer before = last.remove(peer);
                if (before != null) {
                  late.put(peer, before);
                }
              }
            });
      }
    };
  }

  /** Gives what is for one engine to whoever has taken its place. */
  static final class Residents extends ForwardingControl {

    /** Of one run after the other: who opens a channel is there from then on. */
    private static final Map<HostPort, EngineId> RESIDENTS = new HashMap<>();

    private final EngineId own;
    private final Map<EngineId, EngineId> taken = new HashMap<>();

    Residents(ControlChannel inner, ControlContext context) {
      super(inner);
      own = context.identity().id();
      RESIDENTS.put(inner.address(), own);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      EngineId there = RESIDENTS.getOrDefault(at, to);
      if (there.equals(own)) {
        there = to;
      } else if (!there.equals(to)) {
        taken.put(there, to); // and what it says is said by that one
      }
      return inner.send(there, at, bytes);
    }

    @Override
    public int poll(ControlSink sink) {
      return inner.poll(
          new ForwardingControlSink(sink) {
            @Override
            public void received(EngineId sender, ByteBuffer bytes) {
              inner.received(taken.getOrDefault(sender, sender), bytes);
            }
          });
    }
  }

  // ---- what is said in it ----

  static ControlChannel messageTwice(ControlChannel inner) {
    return new ForwardingControl(inner) {
      private int received;

      @Override
      public int poll(ControlSink sink) {
        return inner.poll(
            new ForwardingControlSink(sink) {
              @Override
              public void received(EngineId sender, ByteBuffer bytes) {
                if (++received % SOMETIMES == 0) {
                  inner.received(sender, bytes.duplicate());
                }
                inner.received(sender, bytes);
              }
            });
      }
    };
  }

  /** Says that a lost way is shut as soon as it is asked to, and has no NIC shut it. */
  static final class FencesAtOnce extends ForwardingControl {
    private record Answer(EngineId to, ByteBuffer bytes) {}

    private final Map<EngineId, HostPort> places = new HashMap<>();
    private final ArrayDeque<Answer> answers = new ArrayDeque<>();

    FencesAtOnce(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      places.put(to, at);
      return inner.send(to, at, bytes);
    }

    @Override
    public int poll(ControlSink sink) {
      int told = inner.poll(new Listener(sink));
      while (!answers.isEmpty() && answer(answers.peek())) {
        answers.remove();
      }
      return told;
    }

    private boolean answer(Answer answer) {
      HostPort at = places.get(answer.to());
      return at == null || inner.send(answer.to(), at, answer.bytes().duplicate());
    }

    private final class Listener extends ForwardingControlSink {
      Listener(ControlSink sink) {
        super(sink);
      }

      @Override
      public void received(EngineId sender, ByteBuffer bytes) {
        if (is(FENCE, bytes)) {
          ByteBuffer asked = copy(bytes);
          byte[] fenced = {FENCED, asked.get(2), asked.get(1)};
          answers.add(new Answer(sender, ByteBuffer.wrap(fenced)));
        } else {
          inner.received(sender, bytes);
        }
      }

      @Override
      public void peerLost(EngineId peer, int code, String text) {
        answers.removeIf(answer -> answer.to().equals(peer)); // meant for a session that is over
        inner.peerLost(peer, code, text);
      }
    }
  }

  static ControlChannel losesSignsOfLife(ControlChannel inner) {
    return new ForwardingControl(inner) {
      @Override
      public int poll(ControlSink sink) {
        return inner.poll(
            new ForwardingControlSink(sink) {
              @Override
              public void received(EngineId sender, ByteBuffer bytes) {
                if (!is(ALIVE, bytes)) {
                  inner.received(sender, bytes);
                }
              }
            });
      }
    };
  }

  static ControlChannel aborts(ControlChannel inner, UnaryOperator<ByteBuffer> change) {
    return new ForwardingControl(inner) {
      @Override
      public int poll(ControlSink sink) {
        return inner.poll(
            new ForwardingControlSink(sink) {
              @Override
              public void received(EngineId sender, ByteBuffer bytes) {
                inner.received(sender, is(ABORT, bytes) ? change.apply(copy(bytes)) : bytes);
              }
            });
      }
    };
  }

  static ByteBuffer withoutShares(ByteBuffer abort) {
    return abort.putLong(SHARES_AT, 0);
  }

  /** What says that a note is void makes another one. */
  static ByteBuffer withNote(ByteBuffer abort) {
    byte flags = abort.get(FLAGS_AT);
    boolean ends = (flags & RESUMED) != 0;
    return abort.put(FLAGS_AT, (byte) (ends ? flags & ~RESUMED | FAILS | NOTE : flags));
  }

  /** Takes some entries of a peer for two, so that it seems to be a round ahead. */
  static final class EntersTwice extends ForwardingControl {
    private static final int NUMBER_AT = 1 + EngineId.BYTES + Integer.BYTES;
    private static final int KNOWN_AT = NUMBER_AT + Integer.BYTES;

    private final Map<EngineId, Integer> extra = new HashMap<>();
    private int entries;

    EntersTwice(ControlChannel inner) {
      super(inner);
    }

    private static ByteBuffer more(ByteBuffer entry, int at, int more) {
      ByteBuffer copy = copy(entry);
      return copy.putInt(at, copy.getInt(at) + more);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      int own = extra.getOrDefault(to, 0);
      return inner.send(to, at, is(BARRIER, bytes) ? more(bytes, KNOWN_AT, -own) : bytes);
    }

    @Override
    public int poll(ControlSink sink) {
      return inner.poll(
          new ForwardingControlSink(sink) {
            @Override
            public void received(EngineId sender, ByteBuffer bytes) {
              if (!is(BARRIER, bytes)) {
                inner.received(sender, bytes);
                return;
              }
              int before = extra.getOrDefault(sender, 0);
              inner.received(sender, more(bytes, NUMBER_AT, before));
              if (++entries % 3 == 0) {
                extra.put(sender, before + 1);
                inner.received(sender, more(bytes, NUMBER_AT, before + 1));
              }
            }
          });
    }
  }

  /** Acknowledges aborts itself, and sends them when something else has gone to the same peer. */
  static final class TellsLate extends ForwardingControl {
    private record Held(EngineId to, HostPort at, ByteBuffer frame) {}

    private final ControlContext context;
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private final ArrayDeque<Held> told = new ArrayDeque<>();

    TellsLate(ControlChannel inner, ControlContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      if (is(ABORT, bytes)) {
        Held abort = new Held(to, at, copy(bytes));
        held.add(abort);
        told.add(abort);
        context.doorbell().ring();
        return true;
      }
      Held first = held.peek();
      if (first != null && inner.send(first.to(), first.at(), first.frame())) {
        held.remove();
      }
      return inner.send(to, at, bytes);
    }

    @Override
    public int poll(ControlSink sink) {
      int work = told.size();
      for (Held abort; (abort = told.poll()) != null; ) {
        ByteBuffer answer = ByteBuffer.allocate(1 + Integer.BYTES).put(ABORTED);
        sink.received(abort.to(), answer.putInt(abort.frame().getInt(1)).flip());
      }
      return work + inner.poll(sink);
    }
  }

  /** Holds a message back until the next one has gone. */
  static final class Reorders extends ForwardingControl {
    private ByteBuffer held = ByteBuffer.allocate(0);
    private EngineId heldFor = new EngineId(0, 0);
    private int sent;

    Reorders(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      if (held.hasRemaining() && to.equals(heldFor)) {
        if (!inner.send(to, at, bytes)) {
          return false;
        }
        if (inner.send(to, at, held)) {
          held = ByteBuffer.allocate(0);
        }
        return true;
      }
      if (!held.hasRemaining() && ++sent % SOMETIMES == 0) {
        held = copy(bytes);
        heldFor = to;
        return true;
      }
      return inner.send(to, at, bytes);
    }
  }
}
