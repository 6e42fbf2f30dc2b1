package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Loopback with something that a backend may do, though most do not. The kit must find nothing.
 *
 * @param what it does
 * @param wrapper what makes it do so
 */
record Peculiarity(String what, BiFunction<Domain, OpenContext, Domain> wrapper) {

  /** Each alone. */
  static final List<Peculiarity> ALONE =
      Stream.concat(
              IntStream.rangeClosed(1, 4).mapToObj(Peculiarity::queueDepth),
              Stream.of(
                  new Peculiarity(
                      "writes of 1,000 bytes at most",
                      (nic, context) -> new Bounded(nic, context, 1_000, Integer.MAX_VALUE)),
                  new Peculiarity("refuses every third post", EveryThird::new),
                  new Peculiarity("takes two posts between polls", TwoAtATime::new),
                  new Peculiarity("needs 30 ms to connect", SlowToConnect::new),
                  new Peculiarity("does not say how long writes were", SaysNoLengths::new),
                  new Peculiarity("has room for 65 regions", HasLittleRoom::new)))
          .toList();

  /** A queue of one place, and all the others. */
  static final Peculiarity TOGETHER =
      new Peculiarity(
          "all of it together",
          (nic, context) ->
              new SlowToConnect(
                  new TwoAtATime(
                      new EveryThird(
                          new SaysNoLengths(new Bounded(nic, context, 1_000, 1), context), context),
                      context),
                  context));

  private static Peculiarity queueDepth(int depth) {
    return new Peculiarity(
        "a queue depth of " + depth,
        (nic, context) -> new Bounded(nic, context, Long.MAX_VALUE, depth));
  }

  Backend on(Backend inner) {
    return new ForwardingBackend(inner, wrapper);
  }

  @Override
  public String toString() {
    return what;
  }

  /** Declares bounds, and refuses what is beyond them. */
  private static final class Bounded extends TrackingDomain {
    private final long maxWriteBytes;
    private final int queueDepth;

    Bounded(Domain inner, OpenContext context, long maxWriteBytes, int queueDepth) {
      super(inner, context);
      this.maxWriteBytes = maxWriteBytes;
      this.queueDepth = queueDepth;
    }

    @Override
    public Capabilities capabilities() {
      Capabilities all = inner.capabilities();
      return all.toBuilder()
          .maxWriteBytes(Math.min(all.maxWriteBytes(), maxWriteBytes))
          .queueDepth(Math.min(all.queueDepth(), queueDepth))
          .build();
    }

    @Override
    public PostResult post(Operation op) {
      if (op.length() > maxWriteBytes) {
        throw new IllegalStateException("expected " + maxWriteBytes + " bytes, got " + op.length());
      }
      return out.size() < queueDepth ? super.post(op) : PostResult.NIC_BUSY;
    }

    @Override
    void written(Out write, CompletionSink sink) {
      context.doorbell().ring(); // there is room again
      super.written(write, sink);
    }

    @Override
    void failed(Out write, int code, String text, CompletionSink sink) {
      context.doorbell().ring();
      super.failed(write, code, text, sink);
    }
  }

  private static final class SaysNoLengths extends TrackingDomain {
    SaysNoLengths(Domain inner, OpenContext context) {
      super(inner, context);
    }

    @Override
    void arrived(int imm, long bytes, CompletionSink sink) {
      sink.immArrived(imm, CompletionSink.UNKNOWN_BYTES);
    }
  }

  private static final class HasLittleRoom extends ForwardingDomain {
    /** As the guide says. */
    private static final int ROOM = 65;

    private int regions;

    HasLittleRoom(Domain inner, OpenContext context) {
      super(inner);
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      if (regions == ROOM) {
        throw new BackendException(0, "expected at most " + ROOM + " regions, got one more");
      }
      regions++;
      return super.register(memory, access);
    }

    @Override
    public CompletionStage<Void> deregister(LocalMemory memory) {
      regions--;
      return super.deregister(memory);
    }
  }

  private static final class EveryThird extends ForwardingDomain {
    private final OpenContext context;
    private int posts;

    EveryThird(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public PostResult post(Operation op) {
      if (++posts % 3 == 0) {
        context.doorbell().ring();
        return PostResult.NIC_BUSY;
      }
      return inner.post(op);
    }
  }

  private static final class TwoAtATime extends ForwardingDomain {
    private final OpenContext context;
    private int posts;

    TwoAtATime(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public PostResult post(Operation op) {
      if (posts == 2) {
        context.doorbell().ring();
        return PostResult.NIC_BUSY;
      }
      PostResult taken = inner.post(op);
      posts += taken.isTaken() ? 1 : 0;
      return taken;
    }

    @Override
    public int poll(CompletionSink sink) {
      posts = 0;
      return inner.poll(sink);
    }
  }

  /** Refuses a peer that it has not reached yet, and rings when it has. */
  private static final class SlowToConnect extends TrackingDomain {
    private static final long MILLIS = 30;
    private final Map<EngineId, CompletableFuture<Void>> connections = new HashMap<>();

    SlowToConnect(Domain inner, OpenContext context) {
      super(inner, context);
    }

    private boolean reaches(EngineId peer) {
      return connections
          .computeIfAbsent(
              peer,
              _ ->
                  new CompletableFuture<Void>()
                      .completeOnTimeout(null, MILLIS, TimeUnit.MILLISECONDS)
                      .whenComplete((_, _) -> context.doorbell().ring()))
          .isDone();
    }

    @Override
    public PostResult post(Operation op) {
      return reaches(ownerOf(op)) ? super.post(op) : PostResult.PEER_BUSY;
    }
  }
}
