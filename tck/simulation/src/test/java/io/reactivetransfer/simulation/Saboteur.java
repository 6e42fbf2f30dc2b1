package io.reactivetransfer.simulation;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.spi.WriteOp;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingDomain;
import io.reactivetransfer.tck.ForwardingSink;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** NICs with one defect each. Most of them behave most of the time. */
enum Saboteur {
  COUNTS_BEFORE_THE_BYTES_ARE_THERE(CountsEarly::new),
  LOSES_AN_ARRIVAL((inner, context) -> arrivals(inner, 0)),
  COUNTS_AN_ARRIVAL_TWICE((inner, context) -> arrivals(inner, 2)),
  LOSES_A_COMPLETION((inner, context) -> completions(inner, 0)),
  REPORTS_A_COMPLETION_TWICE((inner, context) -> completions(inner, 2)),
  COMPLETES_BEFORE_DELIVERY((inner, context) -> new EndsEarly(inner, context, false)),
  FAILS_WHAT_IT_GOES_ON_WITH((inner, context) -> new EndsEarly(inner, context, true)),
  TAKES_A_FAILURE_FOR_A_SUCCESS((inner, context) -> failureAsSuccess(inner)),
  WRITES_BEYOND_THE_END((inner, context) -> writing(inner, Saboteur::oneMore)),
  WRITES_BESIDE_THE_TARGET((inner, context) -> writing(inner, Saboteur::beside)),
  WRITES_ONE_BYTE_LESS((inner, context) -> writing(inner, Saboteur::oneLess)),
  IGNORES_A_REVOKE((inner, context) -> ignoresRevoke(inner)),
  GOES_ON_AFTER_CLOSE((inner, context) -> ignoresClose(inner)),
  LOSES_A_MESSAGE((inner, context) -> losesMessage(inner)),
  REORDERS_MESSAGES((inner, context) -> new Reorders(inner)),
  TELLS_A_MESSAGE_TWICE((inner, context) -> messageTwice(inner)),
  LOSES_SIGNS_OF_LIFE((inner, context) -> losesSignsOfLife(inner)),
  TELLS_OF_NO_LOST_PEER((inner, context) -> noPeerLost(inner)),
  IGNORES_A_DISCONNECT((inner, context) -> ignoresDisconnect(inner)),
  TAKES_NOTHING_BACK((inner, context) -> aborts(inner, Saboteur::withoutShares)),
  RENEWS_THE_NOTE((inner, context) -> aborts(inner, Saboteur::withNote)),
  BEGINS_ANEW_BEFORE_IT_WAS_TOLD(TellsLate::new),
  ENTERS_A_BARRIER_FOR_ANOTHER((inner, context) -> new EntersTwice(inner));

  /** The first byte of a sign of life, an abort, its acknowledgement, an entry into a barrier. */
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

  private static final int SOMETIMES = 7;

  private final BiFunction<Domain, OpenContext, Domain> wrapper;

  Saboteur(BiFunction<Domain, OpenContext, Domain> wrapper) {
    this.wrapper = wrapper;
  }

  Backend apply(Backend sound) {
    return new ForwardingBackend(sound, wrapper);
  }

  private static WriteOp copy(WriteOp op) {
    WriteOp copy =
        new WriteOp()
            .between(op.source(), op.target())
            .range(op.sourceOffset(), op.targetOffset(), op.length())
            .token(op.token());
    return op.hasImm() ? copy.withImm(op.imm()) : copy.withoutImm();
  }

  private static Domain arrivals(Domain inner, int times) {
    return new ForwardingDomain(inner) {
      private int arrivals;

      @Override
      public int poll(CompletionSink sink) {
        return inner.poll(
            new ForwardingSink(sink) {
              @Override
              public void immArrived(int imm) {
                int now = ++arrivals % SOMETIMES == 0 ? times : 1;
                for (int i = 0; i < now; i++) {
                  inner.immArrived(imm);
                }
              }

              @Override
              public void immArrived(EngineId origin, int imm) {
                immArrived(imm);
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
    WriteOp of(WriteOp op);
  }

  /** Posts something else now and then, where that is within all bounds. */
  private static Domain writing(Domain inner, Change change) {
    return new ForwardingDomain(inner) {
      private int posts;

      @Override
      public boolean post(WriteOp op) {
        if (op.length() == 0 || ++posts % SOMETIMES != 0) {
          return inner.post(op);
        }
        WriteOp changed = change.of(copy(op));
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

  private static WriteOp oneMore(WriteOp op) {
    return op.range(op.sourceOffset(), op.targetOffset(), op.length() + 1);
  }

  private static WriteOp oneLess(WriteOp op) {
    return op.range(op.sourceOffset(), op.targetOffset(), op.length() - 1);
  }

  private static WriteOp beside(WriteOp op) {
    return op.range(op.sourceOffset(), op.targetOffset() + 1, op.length());
  }

  private static Domain ignoresRevoke(Domain inner) {
    return new ForwardingDomain(inner) {
      @Override
      public LocalMemory revoke(LocalMemory memory) {
        return memory;
      }
    };
  }

  private static Domain ignoresClose(Domain inner) {
    return new ForwardingDomain(inner) {
      @Override
      public void deregister(LocalMemory memory) {}

      @Override
      public void close() {}
    };
  }

  private static Domain losesMessage(Domain inner) {
    return new ForwardingDomain(inner) {
      private int sent;

      @Override
      public boolean send(RemotePeer peer, ByteBuffer bytes) {
        return ++sent % SOMETIMES == 0 || inner.send(peer, bytes);
      }
    };
  }

  private static Domain messageTwice(Domain inner) {
    return new ForwardingDomain(inner) {
      private int received;

      @Override
      public int poll(CompletionSink sink) {
        return inner.poll(
            new ForwardingSink(sink) {
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

  private static Domain losesSignsOfLife(Domain inner) {
    return new ForwardingDomain(inner) {
      @Override
      public int poll(CompletionSink sink) {
        return inner.poll(
            new ForwardingSink(sink) {
              @Override
              public void received(EngineId sender, ByteBuffer bytes) {
                if (!bytes.hasRemaining() || bytes.get(bytes.position()) != ALIVE) {
                  inner.received(sender, bytes);
                }
              }
            });
      }
    };
  }

  private static Domain noPeerLost(Domain inner) {
    return new ForwardingDomain(inner) {
      @Override
      public int poll(CompletionSink sink) {
        return inner.poll(
            new ForwardingSink(sink) {
              @Override
              public void peerLost(EngineId peer, int code, String text) {}
            });
      }
    };
  }

  private static Domain ignoresDisconnect(Domain inner) {
    return new ForwardingDomain(inner) {
      @Override
      public void disconnect(RemotePeer peer, String reason) {}
    };
  }

  private static boolean isAbort(ByteBuffer bytes) {
    return bytes.hasRemaining() && bytes.get(bytes.position()) == ABORT;
  }

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
  }

  private static Domain aborts(Domain inner, UnaryOperator<ByteBuffer> change) {
    return new ForwardingDomain(inner) {
      @Override
      public int poll(CompletionSink sink) {
        return inner.poll(
            new ForwardingSink(sink) {
              @Override
              public void received(EngineId sender, ByteBuffer bytes) {
                inner.received(sender, isAbort(bytes) ? change.apply(copy(bytes)) : bytes);
              }
            });
      }
    };
  }

  private static ByteBuffer withoutShares(ByteBuffer abort) {
    return abort.putLong(SHARES_AT, 0);
  }

  /** What says that a note is void makes another one. */
  private static ByteBuffer withNote(ByteBuffer abort) {
    byte flags = abort.get(FLAGS_AT);
    boolean ends = (flags & RESUMED) != 0;
    return abort.put(FLAGS_AT, (byte) (ends ? flags & ~RESUMED | FAILS | NOTE : flags));
  }

  /** Takes some entries of a peer for two, so that it seems to be a round ahead. */
  private static final class EntersTwice extends ForwardingDomain {
    private static final int NUMBER_AT = 1 + EngineId.BYTES + Integer.BYTES;
    private static final int KNOWN_AT = NUMBER_AT + Integer.BYTES;

    private final Map<RemotePeer, EngineId> peers = new HashMap<>();
    private final Map<EngineId, Integer> extra = new HashMap<>();
    private int entries;

    EntersTwice(Domain inner) {
      super(inner);
    }

    private static boolean isEntry(ByteBuffer bytes) {
      return bytes.hasRemaining() && bytes.get(bytes.position()) == BARRIER;
    }

    private static ByteBuffer more(ByteBuffer entry, int at, int more) {
      ByteBuffer copy = copy(entry);
      return copy.putInt(at, copy.getInt(at) + more);
    }

    @Override
    public RemotePeer resolve(EngineId engine, byte[] address) {
      RemotePeer peer = inner.resolve(engine, address);
      peers.put(peer, engine);
      return peer;
    }

    @Override
    public boolean send(RemotePeer peer, ByteBuffer bytes) {
      int own = extra.getOrDefault(peers.get(peer), 0);
      return inner.send(peer, isEntry(bytes) ? more(bytes, KNOWN_AT, -own) : bytes);
    }

    @Override
    public int poll(CompletionSink sink) {
      return inner.poll(
          new ForwardingSink(sink) {
            @Override
            public void received(EngineId sender, ByteBuffer bytes) {
              if (!isEntry(bytes)) {
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
  private static final class TellsLate extends ForwardingDomain {
    private record Held(RemotePeer peer, ByteBuffer frame) {}

    private final OpenContext context;
    private final Map<RemotePeer, EngineId> peers = new HashMap<>();
    private final ArrayDeque<Held> held = new ArrayDeque<>();
    private final ArrayDeque<Held> told = new ArrayDeque<>();

    TellsLate(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public RemotePeer resolve(EngineId engine, byte[] address) {
      RemotePeer peer = inner.resolve(engine, address);
      peers.put(peer, engine);
      return peer;
    }

    @Override
    public boolean send(RemotePeer peer, ByteBuffer bytes) {
      if (isAbort(bytes)) {
        Held abort = new Held(peer, copy(bytes));
        held.add(abort);
        told.add(abort);
        context.doorbell().ring();
        return true;
      }
      if (!held.isEmpty() && inner.send(held.peek().peer(), held.peek().frame())) {
        held.remove();
      }
      return inner.send(peer, bytes);
    }

    @Override
    public int poll(CompletionSink sink) {
      int work = told.size();
      for (Held abort; (abort = told.poll()) != null; ) {
        ByteBuffer answer = ByteBuffer.allocate(1 + Integer.BYTES).put(ABORTED);
        sink.received(peers.get(abort.peer()), answer.putInt(abort.frame().getInt(1)).flip());
      }
      return work + inner.poll(sink);
    }
  }

  /** The immediate goes ahead of the bytes. */
  private static final class CountsEarly extends ForwardingDomain {
    private final OpenContext context;
    private final ArrayDeque<WriteOp> rest = new ArrayDeque<>();
    private int ahead;

    CountsEarly(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public boolean post(WriteOp op) {
      if (!op.hasImm() || op.length() < 8 || !rest.isEmpty()) {
        return inner.post(op);
      }
      WriteOp bell = copy(op).range(op.sourceOffset(), op.targetOffset(), 0).token(-1);
      if (!inner.post(bell)) {
        return false;
      }
      ahead++;
      rest.add(copy(op).withoutImm());
      context.doorbell().ring();
      return true;
    }

    @Override
    public int poll(CompletionSink sink) {
      if (!rest.isEmpty() && ahead == 0 && inner.post(rest.peek())) {
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
    public boolean post(WriteOp op) {
      if (op.length() == 0 || ++posts % SOMETIMES != 0) {
        return inner.post(op);
      }
      if (!inner.post(copy(op).token(-1))) {
        return false;
      }
      early.add(op.token());
      context.doorbell().ring();
      return true;
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

  /** Holds a message back until the next one has gone. */
  private static final class Reorders extends ForwardingDomain {
    private ByteBuffer held = ByteBuffer.allocate(0);
    private RemotePeer heldFor = new RemotePeer() {};
    private int sent;

    Reorders(Domain inner) {
      super(inner);
    }

    @Override
    public boolean send(RemotePeer peer, ByteBuffer bytes) {
      if (held.hasRemaining() && peer.equals(heldFor)) {
        if (!inner.send(peer, bytes)) {
          return false;
        }
        if (inner.send(peer, held)) {
          held = ByteBuffer.allocate(0);
        }
        return true;
      }
      if (!held.hasRemaining() && ++sent % SOMETIMES == 0) {
        byte[] copy = new byte[bytes.remaining()];
        bytes.get(bytes.position(), copy);
        held = ByteBuffer.wrap(copy);
        heldFor = peer;
        return true;
      }
      return inner.send(peer, bytes);
    }
  }
}
