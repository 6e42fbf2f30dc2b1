package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.tools.Backends;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** What both sides have: an engine, and memory for the size that is being measured. */
final class Node implements AutoCloseable {

  /** Also of what each side may be silent for: where it starts slowly, that is no failure. */
  static final Duration SETUP = Duration.ofSeconds(30);

  private static final int MIN_CREDITS = 16;

  /** In a ping-pong the next write may be due before the last one is acknowledged. */
  private static final int MIN_WINDOW = 4;

  final TransferEngine engine;
  private @Nullable Buffer buffer;
  private @Nullable MemoryRegion region;

  private Node(TransferEngine engine) {
    this.engine = engine;
  }

  static Node open(Plan plan) {
    EngineOptions.Builder options =
        EngineOptions.builder()
            .nics(plan.nics())
            .window(window(plan))
            .messageCredits(Math.max(MIN_CREDITS, plan.outstanding()))
            .maxWaitingMessages(
                Math.max(EngineOptions.defaults().maxWaitingMessages(), plan.outstanding()))
            .livenessDeadline(SETUP)
            .signalScheduler(plan.signals().scheduler());
    if (plan.op().isOfMessages()) {
      // Not less than by default: credit is for two of the longest, and would be said each time.
      int usual = EngineOptions.defaults().maxMessageBytes();
      options.maxMessageBytes((int) Math.max(usual, plan.largest()));
    }
    return new Node(
        await(Backends.engine(plan.backend(), plan.host()).options(options.build()).open()));
  }

  private static int window(Plan plan) {
    return plan.op().isOneByOne() ? Math.max(MIN_WINDOW, plan.peers()) : plan.outstanding();
  }

  /** Memory for one size, instead of what there was before; register it next. */
  void allocate(Layout layout, Device device) {
    MemoryRegion oldRegion = region;
    Buffer old = buffer;
    region = null;
    // If its region cannot be closed, a NIC may still touch the old one: nobody frees it then.
    buffer = null;
    if (oldRegion != null) {
      oldRegion.close().block(SETUP);
    }
    if (old != null) {
      old.close();
    }
    buffer = Buffer.of(device, layout.bytes());
  }

  Buffer buffer() {
    return Objects.requireNonNull(buffer);
  }

  MemorySegment segment() {
    return buffer().segment();
  }

  MemoryRegion register() {
    region = await(engine.register(buffer().memory(), Access.REMOTE_WRITE));
    return region;
  }

  /** What the other side must know to write to it, as text. */
  String descriptor() {
    return Base64.getEncoder()
        .encodeToString(Objects.requireNonNull(region).descriptor().toBytes());
  }

  /** As many as may be in flight, from the own memory to those with these descriptors. */
  List<Transfer> writesTo(Op op, Layout layout, List<String> descriptors) {
    List<RemoteRegion> targets =
        descriptors.stream()
            .map(text -> RegionDescriptor.fromBytes(Base64.getDecoder().decode(text)))
            .map(engine::remote)
            .toList();
    MemoryRegion source = Objects.requireNonNull(region);
    return op == Op.FAN_OUT
        ? Transfers.fanOut(layout, source, targets)
        : Transfers.prepare(op, layout, source, targets.getFirst());
  }

  static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(SETUP));
  }

  /** The memory goes only when no NIC can touch it any more. */
  @Override
  public void close() {
    engine.close().block(SETUP);
    if (buffer != null) {
      buffer.close();
    }
  }
}
