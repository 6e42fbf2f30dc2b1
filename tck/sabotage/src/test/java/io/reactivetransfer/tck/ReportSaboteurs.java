package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.Doorbell;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemotePeer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Backends with one defect in what they report, and in when they do. */
final class ReportSaboteurs {

  static final List<Saboteur> ALL =
      List.of(
          bare("17.2", "takes an immediate of -1 for none", TakesForNone::new),
          bare("17.2", "tells an immediate before it copies", TellsFirst::new),
          bare("17.3", "returns 0 from each poll", ReturnsNothing::new),
          bare("17.4", "mixes up the ends of writes of one length", MixesUpEnds::new)
              .entailing("24.5", "24.6"),
          bare("17.7", "says that what it gives up was written", SaysWritten::new)
              .entailing("17.18"),
          bare("17.18", "says that what it gives up was refused", SaysRefused::new),
          bare("17.18", "says that what it sent in a poll was refused", RefusesWhatIsSent::new),
          bare("17.19", "reports within post", ReportsWithinPost::new),
          bare("17.19", "reports on another thread", ReportsOnAnotherThread::new),
          bare("17.23", "reports what has come a poll late", ReportsLate::new)
              .entailing("24.5", "24.6"),
          bare("17.23", "has a fence that keeps nothing out", FencesNothing::new),
          bare("17.20", "names its first origin for all", NamesFirstOrigin::new),
          bare("17.35", "tells one byte too many of a long write", TellsTooMuch::new),
          bare("17.35", "tells the length of the write before", TellsLengthBefore::new),
          bare("17.35", "sends what devices have in two parts", SendsTwoParts::new));

  private ReportSaboteurs() {}

  private interface Wrapper {
    Domain around(Domain inner, OpenContext context);
  }

  /** Only NICs that have no engine are so: the rules that have one wait for other things. */
  private static Saboteur bare(String rule, String defect, Wrapper wrapper) {
    return Saboteur.nic(
        rule,
        defect,
        (inner, context) ->
            DriverSaboteurs.isBare(context) ? wrapper.around(inner, context) : inner);
  }

  private static final class TakesForNone extends ForwardingDomain {
    TakesForNone(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      return inner.post(op.imm() == -1 ? op.copy().withoutImm() : op);
    }
  }

  private static final class ReturnsNothing extends ForwardingDomain {
    ReturnsNothing(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public int poll(CompletionSink sink) {
      return Math.min(0, inner.poll(sink));
    }
  }

  /** The immediate goes ahead of the bytes, which come in the same poll of the target. */
  private static final class TellsFirst extends TrackingDomain {

    /** Nothing else is so long, so no refusal of another rule has the immediate come twice. */
    private static final long LENGTH = 5_000;

    TellsFirst(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      if (op.hasImm() && op.length() == LENGTH) {
        PostResult ahead = pass(op.copy().range(op.localOffset(), op.remoteOffset(), 0), true);
        return ahead.isTaken() ? super.post(op.copy().withoutImm()) : ahead;
      }
      return super.post(op);
    }

    @Override
    void arrived(int imm, long bytes, CompletionSink sink) {
      sink.immArrived(imm, CompletionSink.UNKNOWN_BYTES);
    }
  }

  private static final class MixesUpEnds extends TrackingDomain {
    MixesUpEnds(Domain inner, OpenContext context) {
      super(inner, context);
    }

    /** Another one that is out keeps the token of this one. */
    private void mixUp(Out ended) {
      for (Out other : out.values()) {
        if (other.op.length() == ended.op.length()) {
          long token = other.op.token();
          other.op.token(ended.op.token());
          ended.op.token(token);
          return;
        }
      }
    }

    @Override
    void written(Out write, CompletionSink sink) {
      mixUp(write);
      super.written(write, sink);
    }
  }

  /** What is out is forgotten when its peer is given up, and is told to have ended somehow. */
  private abstract static class GivesUp extends TrackingDomain {
    private final List<Long> forgotten = new ArrayList<>();

    GivesUp(Domain inner, OpenContext context) {
      super(inner, context);
    }

    abstract void end(long token, CompletionSink sink);

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      EngineId engine = Objects.requireNonNull(peers.get(peer));
      for (Out write : out.values()) {
        if (write.peer.equals(engine) && !write.hidden) {
          write.hidden = true;
          forgotten.add(write.op.token());
        }
      }
      context.doorbell().ring();
      return inner.disconnect(peer, reason);
    }

    @Override
    public int poll(CompletionSink sink) {
      int count = forgotten.size();
      forgotten.forEach(token -> end(token, sink));
      forgotten.clear();
      return count + super.poll(sink);
    }
  }

  /** It may be there. */
  private static class SaysRefused extends GivesUp {
    SaysRefused(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    final void end(long token, CompletionSink sink) {
      sink.refused(token, 1, "given up");
    }
  }

  /** The same, and right for what no poll has sent. */
  private static final class RefusesWhatIsSent extends SaysRefused {

    /** Of writes that wait for a poll; others go as they come. */
    private static final int LENGTH = 16;

    private static final int MOST = 16;

    private final List<Operation> unsent = new ArrayList<>();
    private final List<Long> dropped = new ArrayList<>();

    RefusesWhatIsSent(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      if (!op.hasImm() || op.length() != LENGTH || unsent.size() == MOST) {
        return super.post(op);
      }
      unsent.add(op.copy());
      context.doorbell().ring();
      return PostResult.TAKEN;
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      EngineId engine = Objects.requireNonNull(peers.get(peer));
      unsent.removeIf(op -> ownerOf(op).equals(engine) && dropped.add(op.token()));
      return super.disconnect(peer, reason);
    }

    @Override
    public int poll(CompletionSink sink) {
      int count = dropped.size() + unsent.size();
      dropped.forEach(token -> end(token, sink));
      dropped.clear();
      unsent.removeIf(op -> pass(op, false).isTaken());
      return count + super.poll(sink);
    }
  }

  /** It may never come. */
  private static final class SaysWritten extends GivesUp {
    SaysWritten(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void end(long token, CompletionSink sink) {
      sink.written(token);
    }
  }

  /** So what came before a fence is reported behind it. */
  private static final class ReportsLate extends ForwardingDomain {
    private final Doorbell doorbell;
    private List<Consumer<CompletionSink>> held = new ArrayList<>();

    ReportsLate(Domain inner, OpenContext context) {
      super(inner);
      doorbell = context.doorbell();
    }

    @Override
    public int poll(CompletionSink sink) {
      List<Consumer<CompletionSink>> due = held;
      held = new ArrayList<>();
      due.forEach(report -> report.accept(sink));
      int found =
          inner.poll(
              new ForwardingSink(sink) {
                @Override
                public void immArrived(int imm, long bytes) {
                  held.add(it -> it.immArrived(imm, bytes));
                }

                @Override
                public void immArrived(EngineId origin, int imm, long bytes) {
                  held.add(it -> it.immArrived(origin, imm, bytes));
                }
              });
      if (!held.isEmpty()) {
        doorbell.ring();
      }
      return found + due.size();
    }
  }

  /** Its fence is complete at once, whatever is still on its way. */
  private static final class FencesNothing extends ForwardingDomain {
    private final boolean isTarget;

    FencesNothing(Domain inner, OpenContext context) {
      super(inner);
      isTarget = DriverSaboteurs.isBareTarget(context);
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      return isTarget ? CompletableFuture.completedStage(null) : inner.disconnect(peer, reason);
    }
  }

  private static final class ReportsWithinPost extends ForwardingDomain {
    private @Nullable CompletionSink last;

    ReportsWithinPost(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      if (last != null) {
        inner.poll(last);
      }
      return inner.post(op);
    }

    @Override
    public int poll(CompletionSink sink) {
      last = sink;
      return inner.poll(sink);
    }
  }

  private static final class ReportsOnAnotherThread extends ForwardingDomain {
    ReportsOnAnotherThread(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public int poll(CompletionSink sink) {
      return inner.poll(
          new ForwardingSink(sink) {
            @Override
            public void written(long token) {
              CompletableFuture.runAsync(() -> super.written(token)).join();
            }
          });
    }
  }

  private static final class NamesFirstOrigin extends ForwardingDomain {
    private @Nullable EngineId first;

    NamesFirstOrigin(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public int poll(CompletionSink sink) {
      return inner.poll(
          new ForwardingSink(sink) {
            @Override
            public void immArrived(EngineId origin, int imm, long bytes) {
              first = first == null ? origin : first;
              super.immArrived(first, imm, bytes);
            }
          });
    }
  }

  private static final class TellsTooMuch extends TrackingDomain {
    TellsTooMuch(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void arrived(int imm, long bytes, CompletionSink sink) {
      sink.immArrived(imm, bytes > 100_000 ? bytes + 1 : bytes);
    }
  }

  private static final class TellsLengthBefore extends TrackingDomain {
    private long before;

    TellsLengthBefore(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void arrived(int imm, long bytes, CompletionSink sink) {
      sink.immArrived(imm, before);
      before = bytes;
    }
  }

  private static final class SendsTwoParts extends TrackingDomain {
    private final Map<LocalMemory, Boolean> ofDevices = new ConcurrentHashMap<>();

    SendsTwoParts(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      return inner
          .register(memory, access)
          .thenApply(registered -> {
            ofDevices.put(registered, memory instanceof DeviceMemory);
            return registered;
          });
    }

    @Override
    public PostResult post(Operation op) {
      long half = op.length() / 2;
      if (half == 0 || op.rows() > 1 || !ofDevices.getOrDefault(op.local(), false)) {
        return super.post(op);
      }
      long from = op.localOffset();
      long to = op.remoteOffset();
      PostResult first = pass(op.copy().range(from, to, half).withoutImm(), true);
      return first.isTaken()
          ? super.post(op.copy().range(from + half, to + half, op.length() - half))
          : first;
    }
  }
}
