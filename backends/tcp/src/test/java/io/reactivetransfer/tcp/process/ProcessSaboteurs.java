package io.reactivetransfer.tcp.process;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.spi.WriteOp;
import io.reactivetransfer.tck.ForwardingBackend;
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
    private final BiFunction<Domain, OpenContext, Domain> defect;

    Saboteur(BiFunction<Domain, OpenContext, Domain> defect) {
      this.defect = defect;
    }

    @Override
    public Backend get() {
      return new ForwardingBackend(new TcpBackend(), defect);
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
    public RemotePeer resolve(EngineId engine, byte[] address) {
      RemotePeer peer = super.resolve(engine, address);
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

  static final class DeathIsNeverSeen extends Saboteur {
    DeathIsNeverSeen() {
      super((nic, context) ->
          new Knowing(nic, context) {
            @Override
            void peerLost(EngineId peer, int code, String text, CompletionSink sink) {
              if (givenUp.contains(peer)) {
                super.peerLost(peer, code, text, sink);
              }
            }

            @Override
            public int poll(CompletionSink sink) {
              int found = super.poll(sink);
              lost.stream().filter(peer -> !givenUp.contains(peer)).forEach(sink::alive);
              return found;
            }
          });
    }
  }

  static final class AliveForEver extends Saboteur {
    AliveForEver() {
      super((nic, context) ->
          new Knowing(nic, context) {
            @Override
            public int poll(CompletionSink sink) {
              int found = super.poll(sink);
              peers.values().stream().filter(peer -> !lost.contains(peer)).forEach(sink::alive);
              return found;
            }
          });
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

            @Override
            public boolean send(RemotePeer peer, ByteBuffer bytes) {
              return !givenUp.contains(peers.get(peer)) && super.send(peer, bytes);
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
      super((nic, context) ->
          new Knowing(nic, context) {
            private final Map<EngineId, Integer> untold = new HashMap<>();

            @Override
            public boolean send(RemotePeer peer, ByteBuffer bytes) {
              EngineId engine = peers.get(peer);
              boolean wasLost = lost.contains(engine) || givenUp.contains(engine);
              if (!wasLost || bytes.get(bytes.position()) != ABORT) {
                return super.send(peer, bytes);
              }
              untold.put(engine, bytes.getInt(bytes.position() + 1));
              context.doorbell().ring();
              return true;
            }

            @Override
            public int poll(CompletionSink sink) {
              Map<EngineId, Integer> kept = Map.copyOf(untold);
              untold.clear();
              kept.forEach((engine, number) ->
                  sink.received(engine, ByteBuffer.allocate(5).put(ABORTED).putInt(number).flip()));
              return kept.size() + super.poll(sink);
            }
          });
    }
  }

  static final class TakesItsOwnPauseForSilence extends Saboteur {
    private static final long LONGEST_NANOS = TimeUnit.MILLISECONDS.toNanos(800);

    TakesItsOwnPauseForSilence() {
      super((nic, context) ->
          new Knowing(nic, context) {
            private long polledNanos = System.nanoTime();

            @Override
            public int poll(CompletionSink sink) {
              long now = System.nanoTime();
              boolean isLate = now - polledNanos > LONGEST_NANOS && !peers.isEmpty();
              polledNanos = now;
              if (isLate) {
                peers.forEach((peer, engine) -> {
                  inner.disconnect(peer, "silent");
                  sink.peerLost(engine, 1, "it was silent");
                });
              }
              return super.poll(sink);
            }
          });
    }
  }
}
