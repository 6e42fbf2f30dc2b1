package io.reactivetransfer.tck;

import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** What is wrong with runs: of posts that are flushed, and of writes that are reported together. */
final class RunSaboteurs {

  static final List<Saboteur> ALL =
      List.of(
          Saboteur.use("16.4", "flushes no NIC", NeverFlushes::new),
          Saboteur.use("16.4", "flushes a NIC after it has polled it", FlushesLate::new),
          Saboteur.use("16.4", "flushes a NIC behind each post", FlushesEach::new),
          Saboteur.nic("17.14", "blocks in flush for 2 ms", BlocksInFlush::new),
          Saboteur.nic("17.31", "begins one write for each flush", BeginsOne::new),
          Saboteur.use("3.8", "takes what is reported together for one write", TakesForOne::new),
          Saboteur.use("3.8", "takes it for all that is out", TakesForAll::new),
          Saboteur.nic("17.32", "reports together what is of several runs", MixesRuns::new),
          Saboteur.nic("17.32", "reports one of several too few", ReportsTooFew::new));

  private RunSaboteurs() {}

  private static final class NeverFlushes extends ForwardingDomain {
    NeverFlushes(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public void flush() {}
  }

  private static final class FlushesLate extends ForwardingDomain {
    private boolean due;

    FlushesLate(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public void flush() {
      due = true;
    }

    @Override
    public int poll(CompletionSink sink) {
      int found = inner.poll(sink);
      if (due) {
        due = false;
        inner.flush();
      }
      return found;
    }
  }

  private static final class FlushesEach extends ForwardingDomain {
    FlushesEach(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      PostResult result = inner.post(op);
      if (result.isTaken()) {
        inner.flush();
      }
      return result;
    }

    @Override
    public void flush() {}
  }

  /** Only where there is no engine: the other rules are not to be slow. */
  private static final class BlocksInFlush extends ForwardingDomain {
    private final boolean bare;
    private boolean quick = true;

    BlocksInFlush(Domain inner, OpenContext context) {
      super(inner);
      this.bare = DriverSaboteurs.isBare(context);
    }

    @Override
    public PostResult post(Operation op) {
      quick = !bare || op.length() != 100;
      return inner.post(op);
    }

    @Override
    public void flush() {
      if (!quick) {
        DriverSaboteurs.dawdle();
      }
      quick = true;
      inner.flush();
    }
  }

  /** As who rings one doorbell for one work request, whatever was chained before it. */
  private static final class BeginsOne extends ForwardingDomain {
    private final boolean bare;
    private final Queue<Operation> chained = new ArrayDeque<>();
    private int due;

    BeginsOne(Domain inner, OpenContext context) {
      super(inner);
      bare = DriverSaboteurs.isBare(context);
    }

    @Override
    public PostResult post(Operation op) {
      if (!bare) {
        return inner.post(op);
      }
      chained.add(op.copy());
      return PostResult.TAKEN;
    }

    @Override
    public void flush() {
      due++;
      begin();
    }

    private void begin() {
      while (due > 0 && !chained.isEmpty() && inner.post(chained.element()).isTaken()) {
        chained.remove();
        due--;
      }
      due = chained.isEmpty() ? 0 : due;
    }

    @Override
    public int poll(CompletionSink sink) {
      begin();
      return inner.poll(sink);
    }
  }

  private static final class TakesForOne extends ForwardingDomain {
    TakesForOne(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public int poll(CompletionSink sink) {
      return inner.poll(
          new ForwardingSink(sink) {
            @Override
            public void written(long token, int writes) {
              super.written(token);
            }
          });
    }
  }

  private static final class TakesForAll extends ForwardingDomain {
    private final List<Long> out = new ArrayList<>();

    TakesForAll(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public PostResult post(Operation op) {
      PostResult result = inner.post(op);
      if (result.isTaken()) {
        out.add(op.token());
      }
      return result;
    }

    @Override
    public int poll(CompletionSink sink) {
      return inner.poll(
          new ForwardingSink(sink) {
            @Override
            public void written(long token) {
              if (out.remove(token)) {
                super.written(token);
              }
            }

            @Override
            public void written(long token, int writes) {
              List<Long> run = out.stream().filter(t -> Operation.areOfOneRun(t, token)).toList();
              out.removeAll(run);
              super.written(token, run.size());
            }
          });
    }
  }

  /** A NIC that reports together what it can, and miscounts. */
  private abstract static class Merges extends ForwardingDomain {
    private long last;
    private int writes;

    Merges(Domain inner) {
      super(inner);
    }

    abstract boolean joins(long token, long other);

    abstract void report(long token, int writes, CompletionSink sink);

    @Override
    public int poll(CompletionSink sink) {
      int found =
          inner.poll(
              new ForwardingSink(sink) {
                @Override
                public void written(long token) {
                  if (token >>> 48 != DriverReportRules.LARGE_GENERATION) {
                    super.written(token);
                    return;
                  }
                  if (!joins(token, last)) {
                    end(sink);
                  }
                  last = token;
                  writes++;
                }
              });
      end(sink);
      return found;
    }

    private void end(CompletionSink sink) {
      if (writes > 0) {
        report(last, writes, sink);
        writes = 0;
      }
    }
  }

  private static final class MixesRuns extends Merges {
    MixesRuns(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    boolean joins(long token, long other) {
      return true;
    }

    @Override
    void report(long token, int writes, CompletionSink sink) {
      sink.written(token, writes);
    }
  }

  private static final class ReportsTooFew extends Merges {
    ReportsTooFew(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    boolean joins(long token, long other) {
      return Operation.areOfOneRun(token, other);
    }

    @Override
    void report(long token, int writes, CompletionSink sink) {
      sink.written(token, Math.max(1, writes - 1));
    }
  }
}
