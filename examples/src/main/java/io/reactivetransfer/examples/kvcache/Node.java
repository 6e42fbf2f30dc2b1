package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.PageList;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.examples.worker.WorkerMemory;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvCacheOptions;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvMemory;
import io.reactivetransfer.kvcache.PagePool;
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

  private final Arena arena;
  final TransferEngine engine;
  final WorkerMemory pages;
  final KvMemory memory;
  final TailBuffer tail;

  private Node(
      Arena arena, TransferEngine engine, WorkerMemory pages, KvMemory memory, TailBuffer tail) {
    this.arena = arena;
    this.engine = engine;
    this.pages = pages;
    this.memory = memory;
    this.tail = tail;
  }

  /** With memory that lies so. */
  static Node open(Plan plan, KvLayout layout) {
    return open(plan, layout, options(plan).build());
  }

  /** The options of its engine. */
  static EngineOptions.Builder options(Plan plan) {
    return EngineOptions.builder()
        .nics(plan.nics())
        .window(LAYERS_IN_FLIGHT)
        .maxMessageBytes(1 << 16);
  }

  @SuppressWarnings("MustBeClosed") // the node closes it
  static Node open(Plan plan, KvLayout layout, EngineOptions options) {
    Arena arena = Arena.ofShared();
    TransferEngine engine =
        await(TransferEngineBuilder.create().backend(plan.backend()).options(options).open());
    WorkerMemory pages = WorkerMemory.of(plan.device(), layout.bytes(0));
    KvMemory memory =
        KvMemory.of(await(engine.register(pages.memory(), Access.REMOTE_WRITE)), layout);
    return new Node(arena, engine, pages, memory, tail(arena, engine, plan));
  }

  private static TailBuffer tail(Arena arena, TransferEngine engine, Plan plan) {
    MemorySegment tail = WorkerMemory.OfHost.allocate(arena, TailBuffer.bytes(plan.shape()));
    return new TailBuffer(await(engine.register(tail)), tail);
  }

  /** Memory for the tail of one more hand-over. */
  TailBuffer anotherTail(Plan plan) {
    return tail(arena, engine, plan);
  }

  /** Which gives others as much time as the plan does, however long that is. */
  KvCache openCache(Plan plan) {
    KvCacheOptions options = KvCacheOptions.builder().maxDeadline(plan.deadline()).build();
    return KvCache.open(engine, engine.address().toString(), options);
  }

  /** One page of one layer, as {@link WorkerMemory#read} has it. */
  MemorySegment page(int layer, int page) {
    KvLayout layout = memory.layout();
    return pages.read(
        layout.offset(layer, 0, page), layout.parts().getFirst().pageBytes(layout.pageTokens()));
  }

  /** Puts a page of a layer there, if it is not there already. */
  void put(int layer, int page, MemorySegment bytes) {
    pages.write(memory.layout().offset(layer, 0, page), bytes);
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
    pages.close();
    arena.close();
  }
}
