package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Device;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.tools.DeviceConverter;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/** The side that is written to; says whether all has arrived, and as it was sent. */
final class TargetRole implements Role {

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Plan plan;
  private final List<Node> nodes;

  /** The first of them, which is the only one unless there are several peers. */
  private final Node node;

  private final Letterbox letterbox;
  private Layout layout;
  private @Nullable Meter meter;
  private @Nullable NioReceiver receiver;
  private @Nullable Disposable pingPong;

  private TargetRole(Plan plan) {
    this.plan = plan;
    this.nodes = Stream.generate(() -> Node.open(plan)).limit(plan.peers()).toList();
    this.node = nodes.getFirst();
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
      case "prepare" -> prepare(Long.parseLong(rest[0]), DeviceConverter.device(rest[1]));
      case "return" -> {
        pingPong = answerTo(rest);
        yield "";
      }
      case "compiled" -> String.valueOf(Meter.compiledMillis());
      case "begin" -> {
        meter = new Meter();
        yield "";
      }
      case "end" -> end(Long.parseLong(rest[0]), Long.parseLong(rest[1])).toLine();
      case "listen" -> {
        closeReceiver();
        List<MemorySegment> segments = nodes.stream().map(Node::segment).toList();
        receiver = new NioReceiver(layout, segments, plan.signals(), plan.host());
        yield receiver.address();
      }
      default -> throw new IllegalArgumentException("not known to the target: " + line);
    };
  }

  /**
   * Answers each operation of the other side, of which it is told what its {@code prepare} said.
   */
  private Disposable answerTo(String[] other) {
    return plan.op() == Op.MESSAGE_PING_PONG
        ? MessagePingPong.returns(
            node.engine,
            node.engine.peer(PeerAddress.fromText(other[0])),
            node.segment().asSlice(0, layout.size()).asByteBuffer())
        : PingPong.returns(
            node.engine, node.writesTo(plan.op(), layout, List.of(other)).getFirst());
  }

  /** Answers with the descriptors of the memory to write to. */
  private String prepare(long size, Device device) {
    closeReceiver();
    endPingPong();
    layout = plan.op() == Op.FAN_OUT ? new Layout(size, 1, 1, 0) : Layout.of(plan, size);
    for (Node each : nodes) {
      each.allocate(layout, device);
      each.register();
    }
    return nodes.stream().map(Node::descriptor).collect(Collectors.joining(" "));
  }

  /** The run is over: all of it must be here, or come soon. */
  private Usage end(long operations, long checksum) throws InterruptedException {
    if (plan.op() == Op.SEND) {
      letterbox.await(operations, checksum, PATIENCE);
      return read();
    }
    long arrivals = operations * plan.op().arrivals(plan.parts());
    if (arrivals > 0) {
      for (Node each : nodes) {
        each.engine.counter(Transfers.IMM).within(PATIENCE).next(arrivals).block();
      }
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
    while (node.buffer().checksum(bytes) != expected) {
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
    nodes.forEach(Node::close);
  }
}
