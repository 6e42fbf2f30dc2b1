package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.PeerGroup;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** Control channels with one defect, and engines that do not do what goes over them. */
final class ControlSaboteurs {

  /** Of any engine here: so one can be mistaken for another. */
  private static final Map<HostPort, EngineId> AT = new ConcurrentHashMap<>();

  static final List<Saboteur> ALL =
      List.of(
          channel("26.1", "cuts what is longer than 4,096 bytes", Cuts::new),
          channel("26.1", "consumes the buffer of a message", Consumes::new),
          channel("26.1", "keeps the buffer of a message", Keeps::new)
              .entailing("26.2", "26.4", "26.6", "26.8"),
          channel("26.1", "names another one as the sender of a long message", Misnames::new),
          channel("26.2", "takes over what it has no room for", Overfills::new),
          channel("26.2", "swaps messages when many wait", Swaps::new),
          sink("26.3", "says nothing when it finds nobody", Silent::new),
          sink("26.4", "tells a loss twice", TellsTwice::new).entailing("26.5", "26.6", "26.8"),
          channel("26.4", "tells a loss before the last messages", Overtakes::new),
          channel("26.5", "gives a message to whoever is at the address", Mistakes::new),
          channel("26.6", "gives nobody up", Clings::new),
          channel("26.6", "tells the loss of whom it has given up", TellsGivenUp::new),
          channel("26.7", "loses whom it has spoken to before it heard it", Crosses::new)
              .entailing("26.1", "26.2", "26.4", "26.6"),
          Saboteur.backend(
                  "26.8",
                  "does not ring",
                  inner ->
                      new ForwardingBackend(inner, (nic, _) -> nic) {
                        @Override
                        public CompletionStage<ControlChannel> openControl(ControlContext given) {
                          return super.openControl(withoutBell(given));
                        }
                      })
              .entailing("26.2"),
          channel("26.8", "claims to have work once it had some", AlwaysBusy::new),
          channel("26.9", "blocks in send for 2 ms", Blocks::new),
          channel("26.9", "blocks in poll for 2 ms", BlocksInPoll::new),
          channel("26.10", "speaks in a session before it tells of its beginning", ReadsAhead::new),
          channel("26.10", "forgets a loss when it looks for the peer", ForgetsLoss::new),
          Saboteur.options(
                  "9.5", "ends a key without asking", options -> withGrace(options, Duration.ZERO))
              .entailing("9.7"),
          Saboteur.options(
                  "9.6",
                  "waits for who does not answer",
                  options -> withGrace(options, Duration.ofDays(1)))
              .entailing("9.7"),
          Saboteur.engine("21.4", "knows no names of barriers", Nameless::new),
          Saboteur.beneath("23.4", "loses all peers with one NIC", TakesAlong::new)
              .entailing("23.1", "23.2", "23.5"),
          Saboteur.beneath(
                  "23.4", "loses all peers with one way", inner -> new TakesAlong(inner, true))
              .entailing("23.5"),
          Saboteur.beneath(
              "23.4", "has all NICs give up what one does", ControlSaboteurs::givesUpAll),
          Saboteur.beneath("23.5", "says nothing of a way that is lost", LosesSilently::new),
          Saboteur.beneath(
              "23.5",
              "does not know what it never sent",
              inner -> broken(inner, CompletionSink::failed)),
          Saboteur.beneath(
              "23.5",
              "calls written what it never sent",
              inner -> broken(inner, (sink, token, _, _) -> sink.written(token))),
          Saboteur.talks("23.7", "goes on without a control channel", GoesOn::new));

  private ControlSaboteurs() {}

  private static Saboteur channel(
      String rule, String defect, Function<ControlChannel, ControlChannel> wrapper) {
    return Saboteur.backend(
        rule,
        defect,
        inner ->
            new ForwardingBackend(
                inner,
                (nic, _) -> nic,
                (own, context) -> {
                  AT.put(own.address(), context.identity().id());
                  return wrapper.apply(own);
                }));
  }

  private static Saboteur sink(
      String rule, String defect, Function<ControlSink, ControlSink> wrapper) {
    return channel(
        rule,
        defect,
        own ->
            new ForwardingControl(own) {
              @Override
              public int poll(ControlSink sink) {
                return super.poll(wrapper.apply(sink));
              }
            });
  }

  private static ControlContext withoutBell(ControlContext given) {
    return given.toBuilder().doorbell(() -> {}).build();
  }

  private static EngineOptions withGrace(EngineOptions o, Duration grace) {
    return o.toBuilder().revocationGrace(grace).build();
  }

  private static final class Cuts extends ForwardingControl {
    Cuts(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      int length = Math.min(bytes.remaining(), 4_096);
      return super.send(to, at, bytes.slice(bytes.position(), length));
    }
  }

  private static final class Consumes extends ForwardingControl {
    Consumes(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      boolean taken = super.send(to, at, bytes);
      bytes.position(taken ? bytes.limit() : bytes.position());
      return taken;
    }
  }

  private static final class Keeps extends ForwardingControl {
    private record Kept(EngineId to, HostPort at, ByteBuffer bytes) {}

    private final Queue<Kept> kept = new ArrayDeque<>();

    Keeps(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      return kept.isEmpty() && kept.add(new Kept(to, at, bytes.duplicate()));
    }

    @Override
    public int poll(ControlSink sink) {
      while (!kept.isEmpty()
          && super.send(kept.element().to(), kept.element().at(), kept.element().bytes())) {
        kept.remove();
      }
      return super.poll(sink);
    }
  }

  /** One of many that were sent without a poll in between comes behind the next. */
  private static final class Swaps extends ForwardingControl {
    private static final int MANY = 30;

    private int sent;
    private @Nullable ByteBuffer held;

    Swaps(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      if (++sent == MANY) {
        held = ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip();
        return true;
      }
      boolean taken = super.send(to, at, bytes);
      if (taken && held != null && super.send(to, at, held)) {
        held = null;
      }
      return taken;
    }

    @Override
    public int poll(ControlSink sink) {
      sent = 0;
      return super.poll(sink);
    }
  }

  /** Where there is no engine: the other rules are not to be slow. */
  private static final class Blocks extends ForwardingControl {
    Blocks(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      if (bytes.remaining() == ControlRules.QUICK_BYTES) {
        DriverSaboteurs.dawdle();
      }
      return super.send(to, at, bytes);
    }
  }

  private static final class Overfills extends ForwardingControl {
    Overfills(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      super.send(to, at, bytes);
      return true;
    }
  }

  private static final class Misnames extends ForwardingControl {
    Misnames(ControlChannel inner) {
      super(inner);
    }

    @Override
    public int poll(ControlSink sink) {
      int length = maxMessageBytes() - 1; // engines cut what is long into pieces of another length
      return super.poll(
          new ForwardingControlSink(sink) {
            @Override
            public void received(EngineId sender, ByteBuffer bytes) {
              super.received(bytes.remaining() == length ? new EngineId(1, 2) : sender, bytes);
            }
          });
    }
  }

  private static final class GoesOn extends ForwardingControl {
    GoesOn(ControlChannel inner) {
      super(inner);
    }

    @Override
    public int poll(ControlSink sink) {
      return super.poll(
          new ForwardingControlSink(sink) {
            @Override
            public void channelFailed(int code, String text) {}
          });
    }
  }

  private static final class Silent extends ForwardingControlSink {
    Silent(ControlSink to) {
      super(to);
    }

    @Override
    public void notFound(long token, int code, String text) {}
  }

  private static final class TellsTwice extends ForwardingControlSink {
    TellsTwice(ControlSink to) {
      super(to);
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      super.peerLost(peer, code, text);
      super.peerLost(peer, code, text);
    }
  }

  /** What a poll finds is told at its end, losses first. */
  private static final class Overtakes extends ForwardingControl {
    Overtakes(ControlChannel inner) {
      super(inner);
    }

    @Override
    public int poll(ControlSink sink) {
      List<Runnable> later = new ArrayList<>();
      int found =
          super.poll(
              new ForwardingControlSink(sink) {
                @Override
                public void received(EngineId sender, ByteBuffer bytes) {
                  ByteBuffer copy = ByteBuffer.allocate(bytes.remaining()).put(bytes).flip();
                  later.add(() -> super.received(sender, copy));
                }
              });
      later.forEach(Runnable::run);
      return found;
    }
  }

  private static final class Mistakes extends ForwardingControl {
    Mistakes(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      return super.send(AT.getOrDefault(at, to), at, bytes);
    }
  }

  private static final class Clings extends ForwardingControl {
    Clings(ControlChannel inner) {
      super(inner);
    }

    @Override
    public void disconnect(EngineId peer, String reason) {}
  }

  private static final class TellsGivenUp extends ForwardingControl {
    private final Set<EngineId> givenUp = new HashSet<>();

    TellsGivenUp(ControlChannel inner) {
      super(inner);
    }

    @Override
    public void disconnect(EngineId peer, String reason) {
      if (reason.endsWith(" by the conformance kit")) { // engines would take it for another loss
        givenUp.add(peer);
      }
      super.disconnect(peer, reason);
    }

    @Override
    public int poll(ControlSink sink) {
      givenUp.forEach(peer -> sink.peerLost(peer, 0, "given up"));
      givenUp.clear();
      return super.poll(sink);
    }
  }

  /** Behind a message as those of the rules are, which have no engine: one would never rest. */
  private static final class AlwaysBusy extends ForwardingControl {
    private boolean busy;

    AlwaysBusy(ControlChannel inner) {
      super(inner);
    }

    @Override
    public int poll(ControlSink sink) {
      int found =
          super.poll(
              new ForwardingControlSink(sink) {
                @Override
                public void received(EngineId sender, ByteBuffer bytes) {
                  busy |= bytes.remaining() == Integer.BYTES;
                  super.received(sender, bytes);
                }
              });
      return busy ? Math.max(found, 1) : found;
    }
  }

  private static final class BlocksInPoll extends ForwardingControl {
    private boolean isDue;

    BlocksInPoll(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      isDue = bytes.remaining() == ControlRules.QUICK_BYTES;
      return super.send(to, at, bytes);
    }

    @Override
    public int poll(ControlSink sink) {
      if (isDue) {
        isDue = false;
        DriverSaboteurs.dawdle();
      }
      return super.poll(sink);
    }
  }

  private static final class Crosses extends ForwardingControl {
    private final Set<EngineId> spoken = new HashSet<>();
    private final Set<EngineId> lost = new HashSet<>();

    Crosses(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      spoken.add(to);
      return super.send(to, at, bytes);
    }

    @Override
    public int poll(ControlSink sink) {
      return super.poll(
          new ForwardingControlSink(sink) {
            @Override
            public void received(EngineId sender, ByteBuffer bytes) {
              if (spoken.contains(sender) && lost.add(sender)) {
                super.peerLost(sender, 0, "it has spoken, too");
              }
              super.received(sender, bytes);
            }
          });
    }
  }

  /** What was reported while something was sent is told with the next poll. */
  private static final class ReadsAhead extends ForwardingControl {
    private final Queue<Consumer<ControlSink>> ahead = new ArrayDeque<>();

    ReadsAhead(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      super.poll(
          new ControlSink() {
            @Override
            public void received(EngineId sender, ByteBuffer message) {
              ByteBuffer copy = ByteBuffer.allocate(message.remaining()).put(message).flip();
              ahead.add(sink -> sink.received(sender, copy));
            }

            @Override
            public void found(long token, EngineId peer) {
              ahead.add(sink -> sink.found(token, peer));
            }

            @Override
            public void notFound(long token, int code, String text) {
              ahead.add(sink -> sink.notFound(token, code, text));
            }

            @Override
            public void peerLost(EngineId peer, int code, String text) {
              ahead.add(sink -> sink.peerLost(peer, code, text));
            }

            @Override
            public void channelFailed(int code, String text) {
              ahead.add(sink -> sink.channelFailed(code, text));
            }
          });
      return super.send(to, at, bytes);
    }

    @Override
    public int poll(ControlSink sink) {
      int told = ahead.size();
      ahead.forEach(report -> report.accept(sink));
      ahead.clear();
      return told + super.poll(sink);
    }
  }

  private static final class ForgetsLoss extends ForwardingControl {
    private boolean looking;

    ForgetsLoss(ControlChannel inner) {
      super(inner);
    }

    @Override
    public void find(long token, HostPort at) {
      looking = true;
      super.find(token, at);
    }

    @Override
    public int poll(ControlSink sink) {
      boolean forgets = looking;
      looking = false;
      return super.poll(
          new ForwardingControlSink(sink) {
            @Override
            public void peerLost(EngineId peer, int code, String text) {
              if (!forgets) {
                super.peerLost(peer, code, text);
              }
            }
          });
    }
  }

  private static final class Nameless extends ForwardingEngine {
    Nameless(TransferEngine inner) {
      super(inner);
    }

    @Override
    public Mono<Void> barrier(String name, PeerGroup group) {
      return inner.barrier("", group);
    }
  }

  /** Of one engine. */
  private interface Report {
    void of(CompletionSink sink, long token, int code, String text);
  }

  /** NICs that say this of what they never sent. */
  private static Backend broken(Backend inner, Report report) {
    return new ForwardingBackend(
        inner,
        (domain, _) ->
            new ForwardingDomain(domain) {
              @Override
              public int poll(CompletionSink sink) {
                return super.poll(
                    new ForwardingSink(sink) {
                      @Override
                      public void refused(long token, int code, String text) {
                        report.of(sink, token, code, text);
                      }
                    });
              }
            });
  }

  private static final class LosesSilently extends ForwardingBackend {

    LosesSilently(Backend inner) {
      super(
          inner,
          (domain, _) ->
              new ForwardingDomain(domain) {
                @Override
                public int poll(CompletionSink sink) {
                  return super.poll(
                      new ForwardingSink(sink) {
                        @Override
                        public void peerLost(EngineId peer, int code, String text) {
                          // and its writes fail all the same
                        }
                      });
                }
              });
    }
  }

  private static final class TakesAlong extends ForwardingBackend {
    private final boolean[] nicLost;

    TakesAlong(Backend inner) {
      this(inner, false);
    }

    /** Whether also where it has only lost a way. */
    TakesAlong(Backend inner, boolean ways) {
      this(inner, new boolean[1], ways);
    }

    private TakesAlong(Backend inner, boolean[] nicLost, boolean ways) {
      super(inner, wrapper(nicLost, ways));
      this.nicLost = nicLost;
    }

    private static BiFunction<Domain, OpenContext, Domain> wrapper(
        boolean[] nicLost, boolean ways) {
      return (domain, _) ->
          new ForwardingDomain(domain) {
            @Override
            public int poll(CompletionSink sink) {
              return super.poll(
                  new ForwardingSink(sink) {
                    @Override
                    public void nicFailed(int code, String text) {
                      nicLost[0] |= !ways;
                      super.nicFailed(code, text);
                    }

                    @Override
                    public void peerLost(EngineId peer, int code, String text) {
                      nicLost[0] |= ways;
                      super.peerLost(peer, code, text);
                    }
                  });
            }
          };
    }

    @Override
    public CompletionStage<ControlChannel> openControl(ControlContext context) {
      Set<EngineId> known = new HashSet<>();
      return super.openControl(context)
          .thenApply(channel ->
              new ForwardingControl(channel) {
                @Override
                public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
                  known.add(to);
                  return super.send(to, at, bytes);
                }

                @Override
                public int poll(ControlSink sink) {
                  if (nicLost[0]) {
                    nicLost[0] = false;
                    known.forEach(peer -> super.disconnect(peer, "a NIC failed"));
                    known.forEach(peer -> sink.peerLost(peer, 0, "a NIC failed"));
                  }
                  return super.poll(sink);
                }
              });
    }
  }

  private static Backend givesUpAll(Backend inner) {
    List<GivesUpAll> all = new ArrayList<>();
    return new ForwardingBackend(
        inner,
        (domain, _) -> {
          GivesUpAll nic = new GivesUpAll(domain, all);
          all.add(nic);
          return nic;
        });
  }

  /** When one is told to give a peer up, each NIC does that knows it. */
  private static final class GivesUpAll extends ForwardingDomain {
    private final List<GivesUpAll> all;
    private final Map<RemotePeer, EngineId> known = new HashMap<>();

    GivesUpAll(Domain inner, List<GivesUpAll> all) {
      super(inner);
      this.all = all;
    }

    @Override
    public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
      RemotePeer peer = super.resolve(engine, nic, address);
      known.put(peer, engine);
      return peer;
    }

    @Override
    public void release(RemotePeer peer) {
      known.remove(peer);
      super.release(peer);
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      EngineId engine = known.get(peer);
      for (GivesUpAll other : all) {
        if (other != this) {
          other.known.forEach((each, of) -> {
            if (of.equals(engine)) {
              var _ = other.inner.disconnect(each, reason);
            }
          });
        }
      }
      return super.disconnect(peer, reason);
    }
  }
}
