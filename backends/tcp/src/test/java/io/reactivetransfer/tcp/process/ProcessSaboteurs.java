package io.reactivetransfer.tcp.process;

import static java.util.Map.entry;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingControl;
import io.reactivetransfer.tck.ForwardingControlSink;
import io.reactivetransfer.tck.ForwardingDomain;
import io.reactivetransfer.tck.ForwardingSink;
import io.reactivetransfer.tck.process.ProcessBackend;
import io.reactivetransfer.tcp.SessionlessBackend;
import io.reactivetransfer.tcp.TcpBackend;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;

/** For each rule of chapter 25, tcp with one defect. Classes, because other processes need them. */
final class ProcessSaboteurs {

  static final Map<String, Class<? extends ProcessBackend>> ALL =
      Map.ofEntries(
          entry("25.1", DeathIsNeverSeen.class),
          entry("25.2", AliveForEver.class),
          entry("25.3", Impatient.class),
          entry("25.4", GivenUpForEver.class),
          entry("25.5", TriesAgainItself.class),
          entry("25.6", OldForNew.class),
          entry("25.7", RevokesNothing.class),
          entry("25.8", TellsNobodyWhoWasLost.class),
          entry("25.9", TakesItsOwnPauseForSilence.class),
          entry("25.10", AliveForEver.class),
          entry("25.11", TriesAgainAndRevokesNothing.class),
          entry("25.12", WaitsForItsPeer.class));

  private ProcessSaboteurs() {}

  /** A defect, wherever its engine is. */
  private abstract static class Defective implements ProcessBackend {

    abstract Backend on(Backend inner);

    @Override
    public Backend get() {
      return on(new TcpBackend());
    }

    @Override
    public Backend at(String advertisedHost, int port) {
      return on(TcpBackend.builder().advertisedHost(advertisedHost).port(port).build());
    }
  }

  private static Backend onNic(Backend inner, BiFunction<Domain, OpenContext, Domain> defect) {
    return new ForwardingBackend(inner, defect);
  }

  private static Backend onControl(
      Backend inner, BiFunction<ControlChannel, ControlContext, ControlChannel> defect) {
    return new ForwardingBackend(inner, (nic, _) -> nic, defect);
  }

  private static Operation copy(Operation op, RemoteMemory target, long token) {
    return op.copy().between(op.local(), target).token(token);
  }

  private static void ringIn(long millis, OpenContext context) {
    CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)
        .execute(context.doorbell()::ring);
  }

  /** A NIC that knows its peers, who of them was given up, and who owns what. */
  private static class Knowing extends ForwardingDomain {
    final Map<RemotePeer, EngineId> peers = new IdentityHashMap<>();
    final Map<RemoteMemory, EngineId> owners = new IdentityHashMap<>();
    final Set<EngineId> givenUp = new HashSet<>();

    Knowing(Domain inner) {
      super(inner);
    }

    @Override
    public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
      RemotePeer peer = super.resolve(engine, nic, address);
      peers.put(peer, engine);
      return peer;
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      RemoteMemory memory = super.resolve(peer, key, length);
      owners.put(memory, peers.get(peer));
      return memory;
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      givenUp.add(peers.get(peer));
      return super.disconnect(peer, reason);
    }
  }

  /** A control channel that knows who has spoken, who was lost, and who was given up. */
  private static class KnowingControl extends ForwardingControl {
    private static final ByteBuffer ALIVE = ByteBuffer.wrap(new byte[] {5});

    final Set<EngineId> peers = new HashSet<>();
    final Set<EngineId> lost = new HashSet<>();
    final Set<EngineId> givenUp = new HashSet<>();

    KnowingControl(ControlChannel inner) {
      super(inner);
    }

    @Override
    public void disconnect(EngineId peer, String reason) {
      givenUp.add(peer);
      super.disconnect(peer, reason);
    }

    @Override
    public int poll(ControlSink sink) {
      return super.poll(
          new ForwardingControlSink(sink) {
            @Override
            public void received(EngineId sender, ByteBuffer bytes) {
              peers.add(sender);
              heard(sender, bytes.duplicate());
              super.received(sender, bytes);
            }

            @Override
            public void peerLost(EngineId peer, int code, String text) {
              lost.add(peer);
              KnowingControl.this.peerLost(peer, code, text, inner);
            }
          });
    }

    void heard(EngineId sender, ByteBuffer bytes) {}

    void peerLost(EngineId peer, int code, String text, ControlSink sink) {
      sink.peerLost(peer, code, text);
    }

    static void pretendAlive(EngineId peer, ControlSink sink) {
      sink.received(peer, ALIVE.duplicate());
    }
  }

  /**
   * Neither its NICs nor its control channel tell of an end, and it goes on hearing who is dead:
   * one of them alone would be found out by what the engine asks of the other.
   */
  static final class DeathIsNeverSeen extends Defective {
    @Override
    Backend on(Backend inner) {
      return new ForwardingBackend(inner, (nic, _) -> nic(nic), (channel, _) -> control(channel));
    }

    private static Domain nic(Domain nic) {
      return new ForwardingDomain(nic) {
        @Override
        public int poll(CompletionSink sink) {
          return super.poll(
              new ForwardingSink(sink) {
                @Override
                public void failed(long token, int code, String text) {}

                @Override
                public void refused(long token, int code, String text) {}

                @Override
                public void peerLost(EngineId peer, int code, String text) {}
              });
        }
      };
    }

    private static ControlChannel control(ControlChannel channel) {
      return new KnowingControl(channel) {
        @Override
        void peerLost(EngineId peer, int code, String text, ControlSink sink) {}

        @Override
        public int poll(ControlSink sink) {
          int found = super.poll(sink);
          peers.forEach(peer -> pretendAlive(peer, sink));
          return found;
        }
      };
    }
  }

  static final class AliveForEver extends Defective {
    @Override
    Backend on(Backend inner) {
      return onControl(
          inner,
          (channel, _) ->
              new KnowingControl(channel) {
                @Override
                public int poll(ControlSink sink) {
                  int found = super.poll(sink);
                  peers.stream()
                      .filter(peer -> !lost.contains(peer))
                      .forEach(peer -> pretendAlive(peer, sink));
                  return found;
                }
              });
    }
  }

  /** Holds a peer for lost that has not acknowledged a write for a moment. */
  static final class Impatient extends Defective {
    private static final long MILLIS = 150;

    @Override
    Backend on(Backend inner) {
      return onNic(
          inner,
          (nic, context) ->
              new Knowing(nic) {
                private final Map<Long, RemotePeer> out = new HashMap<>();
                private final Map<RemoteMemory, RemotePeer> homes = new IdentityHashMap<>();
                private long since;

                @Override
                public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
                  RemoteMemory memory = super.resolve(peer, key, length);
                  homes.put(memory, peer);
                  return memory;
                }

                @Override
                public PostResult post(Operation op) {
                  PostResult taken = super.post(op);
                  if (taken.isTaken()) {
                    since = out.isEmpty() ? System.nanoTime() : since;
                    out.put(op.token(), homes.get(op.remote()));
                    ringIn(MILLIS + 20, context);
                  }
                  return taken;
                }

                @Override
                public int poll(CompletionSink sink) {
                  long limit = TimeUnit.MILLISECONDS.toNanos(MILLIS);
                  // Before it looks, so that it is too late for who has answered meanwhile.
                  if (!out.isEmpty() && System.nanoTime() - since > limit) {
                    RemotePeer slow = out.values().iterator().next();
                    out.clear();
                    sink.peerLost(peers.get(slow), 0, "too slow for this NIC");
                    super.disconnect(slow, "too slow for this NIC");
                  }
                  return super.poll(
                      new ForwardingSink(sink) {
                        @Override
                        public void written(long token) {
                          since = System.nanoTime();
                          out.remove(token);
                          super.written(token);
                        }

                        @Override
                        public void failed(long token, int code, String text) {
                          out.remove(token);
                          super.failed(token, code, text);
                        }
                      });
                }
              });
    }
  }

  static final class GivenUpForEver extends Defective {
    @Override
    Backend on(Backend inner) {
      return onNic(
          inner,
          (nic, _) ->
              new Knowing(nic) {
                @Override
                public PostResult post(Operation op) {
                  return !givenUp.contains(owners.get(op.remote()))
                      ? super.post(op)
                      : PostResult.PEER_BUSY;
                }
              });
    }
  }

  /**
   * Says that a write has failed, and has it land all the same, over the next connection, which
   * needs no session. It does so again and again, since what lands before the memory is filled anew
   * does not show.
   */
  static class TriesAgainItself extends Defective {
    @Override
    Backend on(Backend inner) {
      return new SessionlessBackend((nic, context) ->
          new Knowing(nic) {
            private final Map<Long, Operation> out = new HashMap<>();
            private final Queue<Operation> again = new ArrayDeque<>();
            private long next;

            @Override
            public PostResult post(Operation op) {
              PostResult taken = super.post(copy(op, op.remote(), next));
              if (taken.isTaken()) {
                out.put(next++, copy(op, op.remote(), op.token()));
              }
              return taken;
            }

            @Override
            public int poll(CompletionSink sink) {
              if (!again.isEmpty()) {
                Operation first = again.element();
                if (super.post(copy(first, first.remote(), -1)).isTaken()) {
                  again.add(again.remove());
                }
                ringIn(5, context);
              }
              return super.poll(
                  new ForwardingSink(sink) {
                    @Override
                    public void written(long token) {
                      if (token >= 0) {
                        super.written(out.remove(token).token());
                      }
                    }

                    @Override
                    public void failed(long token, int code, String text) {
                      if (token >= 0) {
                        Operation op = out.remove(token);
                        again.add(op);
                        ringIn(5, context);
                        super.failed(op.token(), code, text);
                      }
                    }

                    @Override
                    public void refused(long token, int code, String text) {
                      if (token >= 0) {
                        super.refused(out.remove(token).token(), code, text);
                      }
                    }
                  });
            }
          });
    }
  }

  /**
   * Sends what is for a lost process to the one that was heard of last, and believes that the lost
   * one greets as it did.
   */
  static final class OldForNew extends Defective {
    private static final byte HELLO = 1;

    private final Set<EngineId> lost = new HashSet<>();

    @Override
    Backend on(Backend inner) {
      return new ForwardingBackend(
          inner, (nic, _) -> nic(nic), (channel, context) -> control(channel, context));
    }

    private Domain nic(Domain nic) {
      return new Knowing(nic) {
        private RemoteMemory last;

        @Override
        public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
          last = super.resolve(peer, key, length);
          return last;
        }

        @Override
        public PostResult post(Operation op) {
          boolean isOld = lost.contains(owners.get(op.remote()));
          return super.post(isOld ? copy(op, last, op.token()) : op);
        }
      };
    }

    private ControlChannel control(ControlChannel channel, ControlContext context) {
      return new KnowingControl(channel) {
        private final Map<EngineId, ByteBuffer> greetings = new HashMap<>();
        private final Queue<EngineId> greeted = new ArrayDeque<>();

        @Override
        void heard(EngineId sender, ByteBuffer bytes) {
          if (bytes.get(bytes.position()) == HELLO) {
            greetings.put(sender, ByteBuffer.allocate(bytes.remaining()).put(bytes).flip());
          }
        }

        @Override
        void peerLost(EngineId peer, int code, String text, ControlSink sink) {
          OldForNew.this.lost.add(peer);
          super.peerLost(peer, code, text, sink);
        }

        @Override
        public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
          if (!greetings.containsKey(to) || !lost.contains(to)) {
            return super.send(to, at, bytes);
          }
          if (bytes.get(bytes.position()) == HELLO) {
            greeted.add(to);
            context.doorbell().ring();
          }
          return true;
        }

        @Override
        public int poll(ControlSink sink) {
          int answers = greeted.size();
          for (int i = 0; i < answers; i++) {
            EngineId old = greeted.remove();
            sink.received(old, greetings.get(old).duplicate());
          }
          return answers + super.poll(sink);
        }
      };
    }
  }

  /**
   * At its target, the old key is as good as it was; and what was written once is written again and
   * again, since nothing may be on its way at the moment in which a process is stopped.
   */
  static final class RevokesNothing extends Defective {
    @Override
    Backend on(Backend inner) {
      return onNic(inner, (nic, context) -> new Repeating(new Careless(nic), context));
    }
  }

  private static final class Repeating extends ForwardingDomain {
    private static final long REPETITION = -1;

    private final OpenContext context;
    private Operation last;

    Repeating(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public PostResult post(Operation op) {
      PostResult taken = super.post(op);
      if (taken.isTaken() && op.length() > 0) {
        last = copy(op, op.remote(), REPETITION).withoutImm();
        ringIn(5, context);
      }
      return taken;
    }

    @Override
    public int poll(CompletionSink sink) {
      if (last != null) {
        super.post(last.copy());
        ringIn(5, context);
      }
      return super.poll(
          new ForwardingSink(sink) {
            @Override
            public void written(long token) {
              if (token != REPETITION) {
                super.written(token);
              }
            }

            @Override
            public void failed(long token, int code, String text) {
              if (token != REPETITION) {
                super.failed(token, code, text);
              }
            }

            @Override
            public void refused(long token, int code, String text) {
              if (token != REPETITION) {
                super.refused(token, code, text);
              }
            }
          });
    }
  }

  /** At its target, the old key is as good as it was. */
  static final class TriesAgainAndRevokesNothing extends TriesAgainItself {
    @Override
    Backend on(Backend inner) {
      return onNic(super.on(inner), (nic, _) -> new Careless(nic));
    }
  }

  private static final class Careless extends ForwardingDomain {
    Careless(Domain inner) {
      super(inner);
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
      return CompletableFuture.completedStage(memory);
    }

    @Override
    public CompletionStage<Void> deregister(LocalMemory memory) {
      return CompletableFuture.completedStage(null);
    }
  }

  /** Keeps aborts for those who were given up once to itself, and acknowledges them for them. */
  static final class TellsNobodyWhoWasLost extends Defective {
    private static final byte ABORT = 6;
    private static final byte ABORTED = 9;

    @Override
    Backend on(Backend inner) {
      return onControl(
          inner,
          (channel, context) ->
              new KnowingControl(channel) {
                private final Map<EngineId, Integer> untold = new HashMap<>();

                @Override
                public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
                  boolean wasLost = lost.contains(to) || givenUp.contains(to);
                  if (!wasLost || bytes.get(bytes.position()) != ABORT) {
                    return super.send(to, at, bytes);
                  }
                  untold.put(to, bytes.getInt(bytes.position() + 1));
                  context.doorbell().ring();
                  return true;
                }

                @Override
                public int poll(ControlSink sink) {
                  Map<EngineId, Integer> kept = Map.copyOf(untold);
                  untold.clear();
                  kept.forEach((engine, number) ->
                      sink.received(
                          engine, ByteBuffer.allocate(5).put(ABORTED).putInt(number).flip()));
                  return kept.size() + super.poll(sink);
                }
              });
    }
  }

  static final class TakesItsOwnPauseForSilence extends Defective {
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(800);

    @Override
    Backend on(Backend inner) {
      return onControl(
          inner,
          (channel, _) ->
              new KnowingControl(channel) {
                private long polledNanos = System.nanoTime();

                @Override
                public int poll(ControlSink sink) {
                  long now = System.nanoTime();
                  boolean isLate = now - polledNanos > LONGEST_NANOS && !peers.isEmpty();
                  polledNanos = now;
                  if (isLate) {
                    peers.forEach(peer -> {
                      inner.disconnect(peer, "silent");
                      sink.peerLost(peer, 1, "it was silent");
                    });
                  }
                  return super.poll(sink);
                }
              });
    }
  }

  /** Reports no failure, and cannot be closed while something is out. */
  static final class WaitsForItsPeer extends Defective {
    @Override
    Backend on(Backend inner) {
      return onNic(
          inner,
          (nic, _) ->
              new ForwardingDomain(nic) {
                private int out;

                @Override
                public PostResult post(Operation op) {
                  PostResult taken = super.post(op);
                  out += taken.isTaken() ? 1 : 0;
                  return taken;
                }

                @Override
                public int poll(CompletionSink sink) {
                  return super.poll(
                      new ForwardingSink(sink) {
                        @Override
                        public void written(long token) {
                          out--;
                          super.written(token);
                        }

                        @Override
                        public void failed(long token, int code, String text) {}

                        @Override
                        public void refused(long token, int code, String text) {}
                      });
                }

                @Override
                public void close() {
                  super.close();
                  if (out > 0) {
                    throw new BackendException(0, "expected that nothing is out, got " + out);
                  }
                }
              });
    }
  }
}
