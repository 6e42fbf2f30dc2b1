package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvMemory;
import io.reactivetransfer.kvcache.PagePool;
import io.reactivetransfer.tools.ByteCount;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;

/** What both sides have: an engine, and registered memory for the pages and for the tail. */
final class Node implements AutoCloseable {

  /** Layers that prefill has in flight at once; more would only wait in a queue. */
  static final int LAYERS_IN_FLIGHT = 4;

  /** By which the two sides know what is handed over. */
  static final String MODEL = "example";

  private static final Duration SETUP = Duration.ofSeconds(30);
  private static final long ALIGNMENT = 4096;

  private final Arena arena;
  final TransferEngine engine;
  final MemorySegment segment;
  final KvMemory memory;
  final TailBuffer tail;

  private Node(
      Arena arena, TransferEngine engine, MemorySegment segment, KvMemory memory, TailBuffer tail) {
    this.arena = arena;
    this.engine = engine;
    this.segment = segment;
    this.memory = memory;
    this.tail = tail;
  }

  @SuppressWarnings("MustBeClosed") // the node closes it
  static Node open(Plan plan) {
    EngineOptions options =
        EngineOptions.builder()
            .nics(plan.nics())
            .window(LAYERS_IN_FLIGHT)
            .maxMessageBytes(1 << 16)
            .build();
    Arena arena = Arena.ofShared();
    TransferEngine engine =
        await(TransferEngineBuilder.create().backend(plan.backend()).options(options).open());
    MemorySegment segment = allocate(arena, plan.shape().layout().bytes(0));
    MemoryRegion region = await(engine.register(segment));
    MemorySegment tail = allocate(arena, TailBuffer.bytes(plan.shape()));
    MemoryRegion tailRegion = await(engine.register(tail));
    return new Node(
        arena,
        engine,
        segment,
        KvMemory.of(region, plan.shape().layout()),
        new TailBuffer(tailRegion, tail));
  }

  private static MemorySegment allocate(Arena arena, long bytes) {
    try {
      return arena.allocate(bytes, ALIGNMENT);
    } catch (OutOfMemoryError e) {
      throw new IllegalStateException(
          "no native memory for " + new ByteCount(bytes) + ": " + e.getMessage(), e);
    }
  }

  /** One page of one layer. */
  MemorySegment page(int layer, int page) {
    KvLayout layout = memory.layout();
    return segment.asSlice(
        layout.offset(layer, 0, page), layout.parts().getFirst().pageBytes(layout.pageTokens()));
  }

  /** All pages, in an order that a seed decides: real pools are not in order either. */
  PagePool shuffledPool(long seed) {
    List<Integer> order =
        new ArrayList<>(IntStream.range(0, memory.layout().pages()).boxed().toList());
    Collections.shuffle(order, new Random(seed));
    return PagePool.of(PageList.of(order.stream().mapToInt(Integer::intValue).toArray()));
  }

  static <T> T await(reactor.core.publisher.Mono<T> mono) {
    return Objects.requireNonNull(mono.block(SETUP));
  }

  /** The memory goes only when no NIC can touch it any more. */
  @Override
  public void close() {
    engine.close().block(SETUP);
    arena.close();
  }
}
