package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Imm;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Engines that use their NICs in a wrong way. The engine itself is right; a layer beneath it lies
 * to it, so that engine and layer together behave like an engine with the defect.
 */
final class UseSaboteurs {

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.use(
                  "1.4",
                  "does not wait for early pieces",
                  (inner, context) ->
                      new Hasty(
                          inner,
                          context,
                          op ->
                              !op.hasImm() && op.length() == inner.capabilities().maxWriteBytes()))
              .entailing("1.5"),
          Saboteur.use(
                  "1.6",
                  "does not wait for early rows",
                  (inner, context) ->
                      new Hasty(
                          inner,
                          context,
                          op -> !op.hasImm() && (op.length() == 48 || op.length() == 4 * 48)))
              .entailing("1.5"),
          Saboteur.use(
                  "3.1",
                  "does not wait for the pieces of other NICs",
                  (inner, context) ->
                      new Hasty(inner, context, op -> !op.hasImm() && context.nicIndex() > 0))
              .entailing("1.5", "1.6"),
          Saboteur.use("3.2", "gives up all when one has failed", GivesUp::new).entailing("9.4"),
          Saboteur.use("3.6", "forgets the code of a failure", ForgetsCode::new),
          Saboteur.use("6.4", "waits for the slowest peer", HeadOfLine::new),
          Saboteur.use("7.4", "gives up all peers when one is lost", GivesUpOthers::new),
          Saboteur.use("7.7", "releases no peers", KeepsPeers::new),
          Saboteur.use("7.7", "releases peers before their memory", ReleasesPeersFirst::new),
          Saboteur.use("9.7", "releases no memory of peers", KeepsMemory::new),
          Saboteur.use("9.7", "releases memory that is in use", Forgetful::new),
          Saboteur.use("12.14", "takes it that every NIC writes", Trusting::new),
          Saboteur.use("10.2", "loses the immediate of the longest piece", LosesLongest::new),
          Saboteur.use("16.1", "takes a refusal for a failure", TakesRefusalForFailure::new),
          Saboteur.use("16.2", "loses places in a small queue", LosesPlaces::new),
          Saboteur.talks("16.3", "takes a refused message for sent", LosesRefused::new)
              .entailing("16.1"));

  private UseSaboteurs() {}

  /** Believes that some writes are done when they were taken over. */
  private static final class Hasty extends TrackingDomain {
    private final Predicate<Operation> which;

    Hasty(Domain inner, OpenContext context, Predicate<Operation> which) {
      super(inner, context);
      this.which = which;
    }

    @Override
    public PostResult post(Operation op) {
      boolean hasty = which.test(op);
      PostResult posted = pass(op, hasty);
      if (posted.isTaken() && hasty) {
        reportSoon(op.token());
      }
      return posted;
    }
  }

  private static final class GivesUp extends TrackingDomain {
    GivesUp(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void failed(Out write, int code, String text, CompletionSink sink) {
      super.failed(write, code, text, sink);
      List<Out> others =
          out.values().stream()
              .filter(other -> other.peer.equals(write.peer) && !other.hidden)
              .toList();
      if (others.size() >= 3) {
        others.forEach(other -> other.hidden = true);
        others.forEach(other -> sink.failed(other.op.token(), code, text));
      }
    }
  }

  private static final class ForgetsCode extends TrackingDomain {
    ForgetsCode(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void failed(Out write, int code, String text, CompletionSink sink) {
      super.failed(write, 0, text, sink);
    }
  }

  private static final class HeadOfLine extends TrackingDomain {
    HeadOfLine(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      EngineId peer = ownerOf(op);
      long others = out.values().stream().filter(other -> !other.peer.equals(peer)).count();
      return others < 4 ? super.post(op) : PostResult.PEER_BUSY;
    }

    @Override
    void written(Out write, CompletionSink sink) {
      super.written(write, sink);
      context.doorbell().ring();
    }
  }

  private static final class GivesUpOthers extends TrackingDomain {
    GivesUpOthers(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void lost(EngineId peer, int code, String text, CompletionSink sink) {
      super.lost(peer, code, text, sink);
      for (Out other : out.values()) {
        if (!other.peer.equals(peer) && !other.hidden) {
          other.hidden = true;
          sink.failed(other.op.token(), code, text);
        }
      }
    }
  }

  private static final class KeepsMemory extends ForwardingDomain {
    KeepsMemory(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public void release(RemoteMemory memory) {}
  }

  private static final class KeepsPeers extends ForwardingDomain {
    KeepsPeers(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public void release(RemotePeer peer) {}
  }

  /** A peer is released when it is shut, so some turns behind its memory. */
  private static final class ReleasesPeersFirst extends ForwardingDomain {
    private static final int POLLS = 50;

    private final List<RemoteMemory> due = new ArrayList<>();
    private int polls;

    ReleasesPeersFirst(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public void release(RemoteMemory memory) {
      due.add(memory);
      polls = 0;
    }

    @Override
    public int poll(CompletionSink sink) {
      if (++polls > POLLS) {
        due.forEach(inner::release);
        due.clear();
      }
      return inner.poll(sink);
    }
  }

  private static final class Forgetful extends ForwardingDomain {
    /** So many it treats well, which is more than most rules have. */
    private static final int REGIONS = 50;

    private final Set<RemoteMemory> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<RemoteMemory> early = Collections.newSetFromMap(new IdentityHashMap<>());

    Forgetful(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      PostResult result = inner.post(op);
      if (result.isTaken() && seen.add(op.remote()) && seen.size() > REGIONS) {
        early.add(op.remote());
        inner.release(op.remote());
      }
      return result;
    }

    @Override
    public void release(RemoteMemory memory) {
      if (!early.remove(memory)) {
        inner.release(memory);
      }
    }
  }

  private static final class Trusting extends ForwardingDomain {
    Trusting(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public Capabilities capabilities() {
      return inner.capabilities().toBuilder().operations(Set.of(Operation.Kind.WRITE)).build();
    }
  }

  private static final class LosesLongest extends ForwardingDomain {
    LosesLongest(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      boolean longest =
          op.hasImm()
              && op.imm() >>> Imm.BITS == 0
              && op.length() == inner.capabilities().maxWriteBytes();
      return inner.post(longest ? op.copy().withoutImm() : op);
    }
  }

  /** Only once something was taken over, so that what is never taken over still waits. */
  private static final class TakesRefusalForFailure extends TrackingDomain {
    private boolean used;

    TakesRefusalForFailure(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      PostResult posted = super.post(op);
      if (posted.isTaken() || !used || !op.hasImm()) {
        used |= posted.isTaken();
        return posted;
      }
      failSoon(op.token());
      return PostResult.TAKEN;
    }
  }

  private static final class LosesPlaces extends TrackingDomain {
    private int done;

    LosesPlaces(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      boolean full = capabilities().queueDepth() == 1 && done >= 10;
      return !full ? super.post(op) : PostResult.NIC_BUSY;
    }

    @Override
    void written(Out write, CompletionSink sink) {
      done++;
      super.written(write, sink);
    }
  }

  private static final class LosesRefused extends ForwardingControl {
    LosesRefused(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      super.send(to, at, bytes);
      return true;
    }
  }
}
