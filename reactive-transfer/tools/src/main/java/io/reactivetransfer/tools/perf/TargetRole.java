package io.reactivetransfer.tools.perf;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The side that is written to; says whether all has arrived, and as it was sent. */
final class TargetRole implements Role {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Plan plan;
  private final Node node;
  private final Letterbox letterbox;
  private Layout layout;
  private @Nullable Meter meter;
  private @Nullable NioReceiver receiver;
  private @Nullable PingPong pingPong;

  private TargetRole(Plan plan) {
    this.plan = plan;
    this.node = Node.open(plan);
    this.layout = Layout.of(plan, 1);
    this.letterbox = new Letterbox(node.engine, plan.verify());
  }

  /** Opens its engine. */
  static TargetRole open(Plan plan) {
    return new TargetRole(plan);
  }

  @Override
  public String answer(String line) throws Exception {
    String[] rest = Role.rest(line);
    return switch (Role.word(line)) {
      case "address" -> node.engine.address().toText();
      case "prepare" -> prepare(Long.parseLong(rest[0]));
      case "return" -> {
        pingPong =
            PingPong.returns(node.engine, node.writesTo(plan.op(), layout, rest[0]).getFirst());
        yield "";
      }
      case "begin" -> {
        meter = new Meter();
        yield "";
      }
      case "end" -> end(Long.parseLong(rest[0]), Long.parseLong(rest[1])).toLine();
      case "listen" -> {
        closeReceiver();
        receiver = new NioReceiver(layout, node.segment(), plan.signals(), plan.host());
        yield receiver.address();
      }
      default -> throw new IllegalArgumentException("not known to the target: " + line);
    };
  }

  /** Answers with the descriptor of the memory to write to. */
  private String prepare(long size) {
    closeReceiver();
    endPingPong();
    layout = Layout.of(plan, size);
    node.allocate(layout);
    node.register();
    return node.descriptor();
  }

  /** The run is over: all of it must be here, or come soon. */
  private Usage end(long operations, long checksum) throws InterruptedException {
    if (plan.op() == Op.SEND) {
      letterbox.await(operations, checksum, PATIENCE);
      return read();
    }
    long arrivals = operations * plan.op().arrivals(plan.parts());
    if (arrivals > 0) {
      node.engine.counter(Transfers.IMM).within(PATIENCE).next(arrivals).block();
    }
    Usage usage = read();
    if (plan.verify()) {
      requireIdentical(layout.covered(operations), checksum);
    }
    return usage;
  }

  private Usage read() {
    return meter == null ? Usage.NONE : meter.read();
  }

  /** A write that nobody counts may still be on its way, if its backend says done early. */
  private void requireIdentical(long bytes, long expected) throws InterruptedException {
    long endNanos = System.nanoTime() + PATIENCE.toNanos();
    while (Content.checksum(node.segment().asSlice(0, bytes)) != expected) {
      if (plan.op() != Op.WRITE || System.nanoTime() > endNanos) {
        throw new IllegalStateException(
            "not verified: the " + bytes + " bytes that arrived are not those that were written");
      }
      Thread.sleep(1);
    }
  }

  private void endPingPong() {
    if (pingPong != null) {
      pingPong.dispose();
      pingPong = null;
    }
  }

  private void closeReceiver() {
    if (receiver != null) {
      receiver.close();
      receiver = null;
    }
  }

  @Override
  public void close() {
    closeReceiver();
    endPingPong();
    letterbox.close();
    node.close();
  }
}
