package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Engines that do not carry as they should what NICs say to NICs of others. */
final class TalkSaboteurs {

  static final List<Saboteur> ALL =
      List.of(
          talks("tells NICs twice what others say", Repeats::new),
          talks("swaps what NICs say", Swaps::new),
          talks("takes one NIC of a peer for all", TakesOneForAll::new),
          talks("keeps the buffer of what a NIC says", Keeps::new),
          talks("cuts what NICs say to 1,000 bytes", Cuts::new),
          talks("says in a session what was said in the one before", SaysAgain::new),
          talks("tells NICs behind the end of a way what was said before", TellsLate::new),
          talks("does not tell NICs of the end of a way", SaysNoEnd::new));

  private TalkSaboteurs() {}

  private static Saboteur talks(String defect, BiFunction<Domain, OpenContext, Domain> wrapper) {
    return Saboteur.use("13.10", defect, wrapper);
  }

  private static ByteBuffer copy(ByteBuffer message) {
    return ByteBuffer.allocate(message.remaining()).put(message.duplicate()).flip();
  }

  private static final class Repeats extends ForwardingDomain {
    Repeats(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public void fromPeer(RemotePeer from, ByteBuffer message) {
      super.fromPeer(from, message.duplicate());
      super.fromPeer(from, message);
    }
  }

  private static final class Swaps extends ForwardingDomain {
    private @Nullable ByteBuffer held;

    Swaps(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public void fromPeer(RemotePeer from, ByteBuffer message) {
      if (held == null) {
        held = copy(message);
      } else {
        super.fromPeer(from, message);
        super.fromPeer(from, held);
        held = null;
      }
    }
  }

  private static final class TakesOneForAll extends ForwardingDomain {
    private @Nullable RemotePeer first;

    TakesOneForAll(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
      RemotePeer peer = super.resolve(engine, nic, address);
      first = first == null ? peer : first;
      return peer;
    }

    @Override
    public void fromPeer(RemotePeer from, ByteBuffer message) {
      super.fromPeer(first == null ? from : first, message);
    }
  }

  /** What NICs say goes through this. */
  private abstract static class Carries extends ForwardingDomain {
    Carries(Domain inner) {
      super(inner);
    }

    abstract void carry(CompletionSink sink, RemotePeer to, ByteBuffer message);

    @Override
    public int poll(CompletionSink sink) {
      return super.poll(
          new ForwardingSink(sink) {
            @Override
            public void toPeer(RemotePeer peer, ByteBuffer message) {
              carry(inner, peer, message);
            }
          });
    }
  }

  private static final class Keeps extends Carries {
    private record Kept(RemotePeer to, ByteBuffer message) {}

    private final Queue<Kept> kept = new ArrayDeque<>();
    private final OpenContext context;

    Keeps(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    void carry(CompletionSink sink, RemotePeer to, ByteBuffer message) {
      kept.add(new Kept(to, message.duplicate()));
      context.doorbell().ring();
    }

    @Override
    public int poll(CompletionSink sink) {
      int said = kept.size();
      kept.forEach(each -> sink.toPeer(each.to(), each.message()));
      kept.clear();
      return said + super.poll(sink);
    }
  }

  private static final class Cuts extends Carries {
    Cuts(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    void carry(CompletionSink sink, RemotePeer to, ByteBuffer message) {
      int length = Math.min(message.remaining(), 1_000);
      sink.toPeer(to, message.slice(message.position(), length));
    }
  }

  private static final class SaysAgain extends Carries {
    private final Queue<ByteBuffer> said = new ArrayDeque<>();
    private final Queue<ByteBuffer> again = new ArrayDeque<>();

    SaysAgain(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    void carry(CompletionSink sink, RemotePeer to, ByteBuffer message) {
      again.forEach(each -> sink.toPeer(to, each));
      again.clear();
      said.add(copy(message));
      sink.toPeer(to, message);
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      again.addAll(said);
      said.clear();
      return super.disconnect(peer, reason);
    }
  }

  private static final class TellsLate extends ForwardingDomain {
    private @Nullable ByteBuffer last;

    TellsLate(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public void fromPeer(RemotePeer from, ByteBuffer message) {
      last = copy(message);
      super.fromPeer(from, message);
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      CompletionStage<Void> fence = super.disconnect(peer, reason);
      if (last != null) {
        super.fromPeer(peer, last);
        last = null;
      }
      return fence;
    }
  }

  /** Where NICs talk: what else is given up must end all the same. */
  private static final class SaysNoEnd extends ForwardingDomain {
    private boolean isTalkedTo;

    SaysNoEnd(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public void fromPeer(RemotePeer from, ByteBuffer message) {
      isTalkedTo = true;
      super.fromPeer(from, message);
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      return isTalkedTo ? CompletableFuture.completedFuture(null) : super.disconnect(peer, reason);
    }
  }
}
