package io.reactivetransfer.tcp.process;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.spi.WriteOp;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingControl;
import io.reactivetransfer.tck.ForwardingControlSink;
import io.reactivetransfer.tck.ForwardingDomain;
import io.reactivetransfer.tck.ForwardingSink;
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
import java.util.function.Supplier;

/** For each rule of chapter 25, tcp with one defect. Classes, because other processes need them. */
final class ProcessSaboteurs {

  static final Map<String, Class<? extends Supplier<Backend>>> ALL =
      Map.of(
          "25.1", DeathIsNeverSeen.class,
          "25.2", AliveForEver.class,
          "25.3", Impatient.class,
          "25.4", GivenUpForEver.class,
          "25.5", TriesAgainItself.class,
          "25.6", OldForNew.class,
          "25.7", RevokesNothing.class,
          "25.8", TellsNobodyWhoWasLost.class,
          "25.9", TakesItsOwnPauseForSilence.class);

  private ProcessSaboteurs() {}

  private abstract static class Saboteur implements Supplier<Backend> {
    private final BiFunction<Domain, OpenContext, Domain> nic;
    private final BiFunction<ControlChannel, ControlContext, ControlChannel> channel;

    Saboteur(BiFunction<Domain, OpenContext, Domain> nic) {
      this(nic, (channel, _) -> channel);
    }

    Saboteur(
        BiFunction<Domain, OpenContext, Domain> nic,
        BiFunction<ControlChannel, ControlContext, ControlChannel> channel) {
      this.nic = nic;
      this.channel = channel;
    }

    @Override
    public Backend get() {
      return new ForwardingBackend(new TcpBackend(), nic, channel);
    }
  }

  /** Knows its peers, who of them is lost, and who owns what. */
  private static class Knowing extends ForwardingDomain {
    final OpenContext context;
    final Map<RemotePeer, EngineId> peers = new IdentityHashMap<>();
    final Map<RemoteMemory, EngineId> owners = new IdentityHashMap<>();
    final Set<EngineId> lost = new HashSet<>();
    final Set<EngineId> givenUp = new HashSet<>();

    Knowing(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    final void ringIn(long millis) {
      CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS)
          .execute(context.doorbell()::ring);
    }

    static WriteOp copy(WriteOp op, RemoteMemory target, long token) {
      WriteOp copy =
          new WriteOp()
              .between(op.source(), target)
              .range(op.sourceOffset(), op.targetOffset(), op.length())
              .token(token);
      return op.hasImm() ? copy.withImm(op.imm()) : copy.withoutImm();
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
    public void disconnect(RemotePeer peer, String reason) {
      givenUp.add(peers.get(peer));
      super.disconnect(peer, reason);
    }

    @Override
    public int poll(CompletionSink sink) {
      return super.poll(
          new ForwardingSink(sink) {
            @Override
            public void peerLost(EngineId peer, int code, String text) {
              lost.add(peer);
              Knowing.this.peerLost(peer, code, text, inner);
            }
          });
    }

    void peerLost(EngineId peer, int code, String text, CompletionSink sink) {
      sink.peerLost(peer, code, text);
    }
  }

  /** A control channel that gives every sign of life itself. */
  private static class Lively extends ForwardingControl {
    private static final byte ASK = 4;
    private static final byte ALIVE = 5;

    final ControlContext context;
    final Set<EngineId> lost = new HashSet<>();
    final Set<EngineId> givenUp = new HashSet<>();
    private final Set<EngineId> asked = new HashSet<>();

    Lively(ControlChannel inner, ControlContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public void disconnect(EngineId peer, String reason) {
      givenUp.add(peer);
      super.disconnect(peer, reason);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      if (bytes.get(bytes.position()) != ASK || lost.contains(to)) {
        return super.send(to, at, bytes);
      }
      asked.add(to);
      context.doorbell().ring();
      return true;
    }

    @Override
    public int poll(ControlSink sink) {
      Set<EngineId> all = Set.copyOf(asked);
      asked.clear();
      all.forEach(peer -> sink.received(peer, ByteBuffer.wrap(new byte[] {ALIVE})));
      return all.size()
          + super.poll(
              new ForwardingControlSink(sink) {
                @Override
                public void peerLost(EngineId peer, int code, String text) {
                  lost(peer, code, text, inner);
                }
              });
    }

    void lost(EngineId peer, int code, String text, ControlSink sink) {
      lost.add(peer);
      sink.peerLost(peer, code, text);
    }
  }

  static final class DeathIsNeverSeen extends Saboteur {
    DeathIsNeverSeen() {
      super(
          (nic, _) ->
              new ForwardingDomain(nic) {
                @Override
                public int poll(CompletionSink sink) {
                  return super.poll(
                      new ForwardingSink(sink) {
                        @Override
                        public void failed(long token, int code, String text) {}

                        @Override
                        public void refused(long token, int code, String text) {}
                      });
                }
              },
          (channel, context) ->
              new Lively(channel, context) {
                @Override
                void lost(EngineId peer, int code, String text, ControlSink sink) {}
              });
    }
  }

  static final class AliveForEver extends Saboteur {
    AliveForEver() {
      super((nic, _) -> nic, Lively::new);
    }
  }

  /** Holds a peer for lost that has not acknowledged a write for a moment. */
  static final class Impatient extends Saboteur {
    private static final long MILLIS = 150;

    Impatient() {
      super((nic, context) ->
          new Knowing(nic, context) {
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
            public PostResult post(WriteOp op) {
              PostResult taken = super.post(op);
              if (taken.isTaken()) {
                since = out.isEmpty() ? System.nanoTime() : since;
                out.put(op.token(), homes.get(op.target()));
                ringIn(MILLIS + 20);
              }
              return taken;
            }

            @Override
            public int poll(CompletionSink sink) {
              int found =
                  super.poll(
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
              long limit = TimeUnit.MILLISECONDS.toNanos(MILLIS);
              if (!out.isEmpty() && System.nanoTime() - since > limit) {
                RemotePeer slow = out.values().iterator().next();
                out.clear();
                sink.peerLost(peers.get(slow), 0, "too slow for this NIC");
                super.disconnect(slow, "too slow for this NIC");
              }
              return found;
            }
          });
    }
  }

  static final class GivenUpForEver extends Saboteur {
    GivenUpForEver() {
      super((nic, context) ->
          new Knowing(nic, context) {
            @Override
            public PostResult post(WriteOp op) {
              return !givenUp.contains(owners.get(op.target()))
                  ? super.post(op)
                  : PostResult.NIC_BUSY;
            }
          });
    }
  }

  /** Says that a write has failed, and has it land all the same, over the next connection. */
  static final class TriesAgainItself extends Saboteur {
    TriesAgainItself() {
      super((nic, context) ->
          new Knowing(nic, context) {
            private final Map<Long, WriteOp> out = new HashMap<>();
            private final Queue<WriteOp> again = new ArrayDeque<>();
            private long next;

            @Override
            public PostResult post(WriteOp op) {
              PostResult taken = super.post(copy(op, op.target(), next));
              if (taken.isTaken()) {
                out.put(next++, copy(op, op.target(), op.token()));
              }
              return taken;
            }

            @Override
            public int poll(CompletionSink sink) {
              if (!again.isEmpty()) {
                WriteOp first = again.element();
                if (super.post(copy(first, first.target(), -1)).isTaken()) {
                  again.remove();
                }
                ringIn(5);
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
                        WriteOp op = out.remove(token);
                        again.add(op);
                        ringIn(5);
                        super.failed(op.token(), code, text);
                      }
                    }
                  });
            }
          });
    }
  }

  /** Sends what is for a lost process to the one that was heard of last. */
  static final class OldForNew extends Saboteur {
    OldForNew() {
      super((nic, context) ->
          new Knowing(nic, context) {
            private RemoteMemory last;

            @Override
            public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
              last = super.resolve(peer, key, length);
              return last;
            }

            @Override
            public PostResult post(WriteOp op) {
              boolean isOld = lost.contains(owners.get(op.target()));
              return super.post(isOld ? copy(op, last, op.token()) : op);
            }
          });
    }
  }

  static final class RevokesNothing extends Saboteur {
    RevokesNothing() {
      super((nic, context) ->
          new ForwardingDomain(nic) {
            @Override
            public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
              return CompletableFuture.completedStage(memory);
            }
          });
    }
  }

  /** Keeps aborts for those who were given up once to itself, and acknowledges them for them. */
  static final class TellsNobodyWhoWasLost extends Saboteur {
    private static final byte ABORT = 6;
    private static final byte ABORTED = 9;

    TellsNobodyWhoWasLost() {
      super(
          (nic, _) -> nic,
          (channel, context) ->
              new ForwardingControl(channel) {
                private final Set<EngineId> wereLost = new HashSet<>();
                private final Map<EngineId, Integer> untold = new HashMap<>();

                @Override
                public void disconnect(EngineId peer, String reason) {
                  wereLost.add(peer);
                  super.disconnect(peer, reason);
                }

                @Override
                public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
                  if (!wereLost.contains(to) || bytes.get(bytes.position()) != ABORT) {
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

  static final class TakesItsOwnPauseForSilence extends Saboteur {
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(800);

    TakesItsOwnPauseForSilence() {
      super(
          (nic, _) -> nic,
          (channel, _) ->
              new ForwardingControl(channel) {
                private final Set<EngineId> peers = new HashSet<>();
                private long polledNanos = System.nanoTime();

                @Override
                public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
                  peers.add(to);
                  return super.send(to, at, bytes);
                }

                @Override
                public int poll(ControlSink sink) {
                  long now = System.nanoTime();
                  boolean isLate = now - polledNanos > LONGEST_NANOS;
                  polledNanos = now;
                  if (isLate) {
                    peers.forEach(peer -> inner.disconnect(peer, "silent"));
                    peers.forEach(peer -> sink.peerLost(peer, 1, "it was silent"));
                  }
                  return super.poll(sink);
                }
              });
    }
  }
}
