package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** Backends with one defect: what a driver or a NIC can get wrong. */
final class NicSaboteurs {

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.nic("1.1", "counts a write before its bytes are there", CountsEarly::new)
              .entailing(
                  "1.5", "1.6", "17.2", "17.18", "17.29", "17.35", "17.36", "24.2", "24.3", "24.5",
                  "24.6", "24.13"),
          firstPieceCounts(),
          Saboteur.nic("1.3", "reports a long write before its bytes are there", ReportsEarly::new)
              .entailing("1.5", "1.6", "17.7"),
          Saboteur.nic("2.7", "loses a bit of the immediate", LosesBit::new)
              .entailing("2.12", "17.2"),
          Saboteur.nic("2.9", "loses an arrival when there are many", LosesArrival::new)
              .entailing("17.2", "24.11"),
          Saboteur.nic("10.1", "counts a write of one byte twice", CountsTwice::new),
          Saboteur.nic("10.3", "merges the immediates of adjacent pages", MergesPages::new),
          Saboteur.nic("10.6", "counts a long write without an immediate", CountsSilent::new),
          Saboteur.nic("11.6", "mixes up two of many writes", MixesUp::new).entailing("1.5"),
          Saboteur.talks("13.1", "loses a message when there are many", LosesMessage::new)
              .entailing("13.9"),
          Saboteur.nic("14.6", "never gives a registration slot back", LeaksSlots::new),
          shoutingName(),
          Saboteur.nic("17.2", "takes a token for none", LosesToken::new),
          Saboteur.nic("17.2", "loses an arrival of thousands", LosesRarely::new),
          Saboteur.nic("17.2", "tells an arrival of thousands twice", TellsTwiceRarely::new),
          Saboteur.nic("17.3", "claims to have work once it had some", AlwaysBusy::new),
          Saboteur.nic("17.29", "counts rows with the first of them", CountsFirstRow::new)
              .entailing("1.6", "17.30", "17.35", "17.36"),
          Saboteur.nic("17.5", "is stuck after several refusals", Wedges::new));

  private NicSaboteurs() {}

  private static int pieces(Operation op) {
    return (op.imm() >>> Imm.BITS) + 1;
  }

  private static final class CountsEarly extends LateDomain {
    CountsEarly(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      if (!op.hasImm() || op.length() == 0 || pieces(op) > 1) {
        return super.post(op);
      }
      Operation bell = op.copy().range(op.localOffset(), op.remoteOffset() + op.length(), 0);
      if (!pass(bell, true).isTaken()) {
        return PostResult.NIC_BUSY;
      }
      passLater(op.copy().withoutImm(), false);
      return PostResult.TAKEN;
    }
  }

  private static final class CountsFirstRow extends LateDomain {
    CountsFirstRow(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      if (!op.hasImm() || op.rows() == 1) {
        return super.post(op);
      }
      Operation first = op.copy().range(op.localOffset(0), op.remoteOffset(), op.rowLength());
      if (!pass(first, true).isTaken()) {
        return PostResult.NIC_BUSY;
      }
      passLater(op.copy().withoutImm(), false);
      return PostResult.TAKEN;
    }
  }

  /** The first piece carries the count of the whole write, the others carry none. */
  private static Saboteur firstPieceCounts() {
    Map<EngineId, Map<Integer, Integer>> posted = new ConcurrentHashMap<>();
    return Saboteur.nic(
            "1.2",
            "counts a write with its first piece",
            (inner, context) ->
                new ForwardingDomain(inner) {
                  @Override
                  public PostResult post(Operation op) {
                    if (!op.hasImm() || pieces(op) == 1 || pieces(op) == 8) {
                      return inner.post(op);
                    }
                    var before = posted.computeIfAbsent(context.engine(), id -> new HashMap<>());
                    int index = before.getOrDefault(op.imm(), 0);
                    Operation changed = op.copy();
                    if (index == 0) {
                      changed.withImm(op.imm() & Imm.MAX_VALUE);
                    } else {
                      changed.withoutImm();
                    }
                    if (!inner.post(changed).isTaken()) {
                      return PostResult.NIC_BUSY;
                    }
                    before.put(op.imm(), (index + 1) % pieces(op));
                    return PostResult.TAKEN;
                  }
                })
        .entailing("1.6", "8.4", "17.2");
  }

  private static final class ReportsEarly extends LateDomain {
    ReportsEarly(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      if (op.hasImm() || op.length() < 100) {
        return super.post(op);
      }
      passLater(op, true);
      reportSoon(op.token());
      return PostResult.TAKEN;
    }
  }

  private static final class LosesBit extends TrackingDomain {
    LosesBit(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void arrived(int imm, long bytes, CompletionSink sink) {
      sink.immArrived(imm & ~(1 << (Imm.BITS - 1)), bytes);
    }
  }

  private static final class LosesArrival extends TrackingDomain {
    private int arrivals;

    LosesArrival(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void arrived(int imm, long bytes, CompletionSink sink) {
      if (++arrivals != 500) {
        sink.immArrived(imm, bytes);
      }
    }
  }

  private static final class LosesRarely extends TrackingDomain {
    private int arrivals;

    LosesRarely(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void arrived(int imm, long bytes, CompletionSink sink) {
      if (++arrivals != 1_900) {
        sink.immArrived(imm, bytes);
      }
    }
  }

  private static final class TellsTwiceRarely extends TrackingDomain {
    private int arrivals;

    TellsTwiceRarely(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void arrived(int imm, long bytes, CompletionSink sink) {
      sink.immArrived(imm, bytes);
      if (++arrivals == 1_900) {
        sink.immArrived(imm, bytes);
      }
    }
  }

  private static final class CountsTwice extends TrackingDomain {
    CountsTwice(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    public PostResult post(Operation op) {
      PostResult posted = pass(op, false);
      if (posted.isTaken() && op.length() == 1 && op.hasImm() && pieces(op) == 1) {
        pass(op, true);
      }
      return posted;
    }
  }

  private static final class MergesPages extends ForwardingDomain {
    private int imm;
    private long end = -1;

    MergesPages(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      boolean adjacent = op.imm() == imm && op.remoteOffset() == end && op.length() > 0;
      boolean merge = adjacent && op.hasImm() && pieces(op) == 1;
      PostResult posted = inner.post(merge ? op.copy().withoutImm() : op);
      if (posted.isTaken()) {
        imm = op.imm();
        end = op.remoteOffset() + op.length();
      }
      return posted;
    }
  }

  private static final class CountsSilent extends ForwardingDomain {
    CountsSilent(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      boolean counts = !op.hasImm() && op.length() >= 10_000;
      return inner.post(counts ? op.copy().withImm(0) : op);
    }
  }

  private static final class MixesUp extends ForwardingDomain {
    private int posted;
    private long sourceOffset;

    MixesUp(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      Operation mixed =
          posted == 400 ? op.copy().range(sourceOffset, op.remoteOffset(), op.length()) : op;
      if (!inner.post(mixed).isTaken()) {
        return PostResult.NIC_BUSY;
      }
      posted++;
      sourceOffset = op.localOffset();
      return PostResult.TAKEN;
    }
  }

  private static final class LosesMessage extends ForwardingControl {
    private int sent;

    LosesMessage(ControlChannel inner) {
      super(inner);
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      if (sent == 40) {
        sent++;
        return true;
      }
      boolean taken = super.send(to, at, bytes);
      sent += taken ? 1 : 0;
      return taken;
    }
  }

  private static final class LeaksSlots extends ForwardingDomain {
    private int slots = 150;

    LeaksSlots(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      if (slots-- == 0) {
        throw new BackendException(12, "no slot is left");
      }
      return inner.register(memory, access);
    }
  }

  private static Saboteur shoutingName() {
    return Saboteur.backend(
        "17.1",
        "has a name in capital letters",
        inner ->
            new ForwardingBackend(inner, (domain, context) -> domain) {
              @Override
              public String name() {
                return "LOOPBACK";
              }
            });
  }

  private static final class LosesToken extends TrackingDomain {
    LosesToken(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void written(Out write, CompletionSink sink) {
      if (write.op.token() != -1) {
        super.written(write, sink);
      }
    }
  }

  private static final class AlwaysBusy extends ForwardingDomain {
    private boolean used;

    AlwaysBusy(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      used |= op.length() == 100;
      return inner.post(op);
    }

    @Override
    public int poll(CompletionSink sink) {
      return (used ? 1 : 0) + inner.poll(sink);
    }
  }

  private static final class Wedges extends ForwardingDomain {
    private int refusals;

    Wedges(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      if (refusals >= 3) {
        return PostResult.NIC_BUSY;
      }
      PostResult posted = inner.post(op);
      refusals = posted.isTaken() ? 0 : refusals + 1;
      return posted;
    }

    @Override
    public int poll(CompletionSink sink) {
      refusals = refusals >= 3 ? refusals : 0;
      return inner.poll(sink);
    }
  }
}
