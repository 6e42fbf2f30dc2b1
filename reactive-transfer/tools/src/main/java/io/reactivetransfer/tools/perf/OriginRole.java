package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Device;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.tools.DeviceConverter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** The side that writes and measures. */
final class OriginRole implements Role {

  private final Plan plan;
  private final LongConsumer progress;
  private final Node node;
  private Layout layout;
  private @Nullable Peer target;
  private List<Transfer> transfers = List.of();
  private List<Mono<Void>> messages = List.of();

  private OriginRole(Plan plan, LongConsumer progress) {
    this.plan = plan;
    this.progress = progress;
    this.node = Node.open(plan);
    this.layout = Layout.of(plan, 1);
  }

  /**
   * Opens its engine.
   *
   * @param progress is told how many operations of the present run are done
   */
  static OriginRole open(Plan plan, LongConsumer progress) {
    return new OriginRole(plan, progress);
  }

  @Override
  public String answer(String line) throws Exception {
    String[] rest = Role.rest(line);
    return switch (Role.word(line)) {
      case "target" -> {
        target = node.engine.peer(PeerAddress.fromText(rest[0]));
        yield "";
      }
      case "prepare" ->
          prepare(
              Long.parseLong(rest[0]),
              DeviceConverter.device(rest[1]),
              List.of(rest).subList(2, rest.length));
      case "compiled" -> String.valueOf(Meter.compiledMillis());
      case "run" -> run(Long.parseLong(rest[0]), Long.parseLong(rest[1])).toLine();
      case "nio" -> nio(Integer.parseInt(rest[0]), rest[1], Long.parseLong(rest[2])).toLine();
      case "memcpy" ->
          MemcpyReference.run(layout, node.segment(), Long.parseLong(rest[0])).toLine();
      default -> throw new IllegalArgumentException("not known to the origin: " + line);
    };
  }

  /** Answers with what the other side must know to answer in turn. */
  private String prepare(long size, Device device, List<String> descriptors) {
    layout = Layout.of(plan, size);
    node.allocate(layout, device);
    if (plan.op() == Op.SEND) {
      messages = prepareMessages();
      return "";
    }
    if (plan.op() == Op.MESSAGE_PING_PONG) {
      return node.engine.address().toText();
    }
    node.register();
    transfers = node.writesTo(plan.op(), layout, descriptors);
    return node.descriptor();
  }

  private Peer target() {
    if (target == null) {
      throw new IllegalStateException("the target is not known yet");
    }
    return target;
  }

  private List<Mono<Void>> prepareMessages() {
    Peer target = target();
    List<Mono<Void>> prepared = new ArrayList<>();
    for (int i = 0; i < layout.outstanding(); i++) {
      var bytes = node.segment().asSlice(layout.offset(i), layout.size()).asByteBuffer();
      prepared.add(node.engine.send(target, bytes));
    }
    return prepared;
  }

  /** Runs for so long. What is written differs from run to run, if it is to be compared. */
  private RunFigures run(long nanos, long seed) throws Exception {
    if (plan.verify()) {
      node.buffer().fill(seed);
    }
    Meter meter = new Meter();
    Tally tally = new Tally(nanos);
    List<MessageRun.Lane> lanes = List.of();
    switch (plan.op()) {
      case SEND -> lanes = MessageRun.start(messages, tally);
      case PING_PONG -> PingPong.serves(node.engine, transfers.getFirst(), tally);
      case MESSAGE_PING_PONG ->
          MessagePingPong.serves(
              node.engine,
              target(),
              node.segment().asSlice(0, layout.size()).asByteBuffer(),
              tally);
      case FAN_OUT -> FanOut.start(node.engine, transfers, tally);
      default -> TransferRun.start(node.engine, transfers, tally);
    }
    tally.await(progress);
    Usage usage = meter.read();
    return tally.figures(usage, plan.verify() ? checksum(tally.operations(), lanes) : 0);
  }

  private long checksum(long operations, List<MessageRun.Lane> lanes) {
    if (plan.op() != Op.SEND) {
      return node.buffer().checksum(layout.covered(operations));
    }
    long sum = 0;
    for (int i = 0; i < lanes.size(); i++) {
      var message = node.segment().asSlice(layout.offset(i), layout.size());
      sum += lanes.get(i).sent() * Content.checksum(message);
    }
    return sum;
  }

  private RunFigures nio(int port, String host, long nanos) throws Exception {
    InetSocketAddress address = new InetSocketAddress(host, port);
    return switch (plan.op()) {
      case PING_PONG, MESSAGE_PING_PONG ->
          NioPingPong.run(
              NioReceiver.slots(layout, node.segment())[0], plan.signals(), address, nanos);
      case FAN_OUT -> NioFanOut.run(NioReceiver.parts(layout, node.segment()), address, nanos);
      default -> NioSender.run(layout, node.segment(), address, nanos);
    };
  }

  @Override
  public void close() {
    node.close();
  }
}
