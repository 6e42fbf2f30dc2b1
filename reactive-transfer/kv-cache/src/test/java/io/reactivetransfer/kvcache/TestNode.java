package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.Function;
import reactor.core.publisher.Mono;

/** An engine with memory for pages and tails. */
final class TestNode implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(20);

  /** For whoever looks at an arrival outside of its scope. */
  static final Function<KvArrival, Mono<KvArrival>> KEPT = arrival -> Mono.just(arrival.keep());

  private final Arena arena = Arena.ofShared();
  final TransferEngine engine;
  final OldLayout layout;
  final MemorySegment pages;
  final MemorySegment tails;
  final MemoryRegion tailRegion;
  final KvMemory memory;

  TestNode(String backend, OldLayout layout) {
    this(backend, layout, EngineOptions.defaults());
  }

  TestNode(String backend, OldLayout layout, EngineOptions options) {
    this(TransferEngineBuilder.create().backend(backend).options(options), layout);
  }

  TestNode(TransferEngineBuilder builder, OldLayout layout) {
    this.layout = layout;
    this.engine = await(builder.open());
    this.pages = arena.allocate(layout.bytes(), 64);
    this.tails = arena.allocate(4096, 64);
    this.memory = new KvMemory(await(engine.register(pages)), layout);
    this.tailRegion = await(engine.register(tails));
  }

  KvDecode decode(PagePool pool) {
    return KvDecode.open(engine, memory, pool);
  }

  KvPrefill prefill() {
    return KvPrefill.open(engine, memory);
  }

  /** This node's engine, as another one sees it. */
  Peer seenFrom(TestNode other) {
    return other.engine.peer(engine.address());
  }

  /** Page contents that say where they are from. */
  void fill(int salt) {
    for (int layer = 0; layer < layout.layers(); layer++) {
      for (int page = 0; page < layout.poolPages(); page++) {
        page(layer, page).fill((byte) (salt + 31 * layer + page));
      }
    }
  }

  MemorySegment page(int layer, int page) {
    return pages.asSlice(layout.offset(layer, page), layout.pageBytes());
  }

  static <T> T await(Mono<T> mono) {
    return mono.block(PATIENCE);
  }

  @Override
  public void close() {
    engine.close().block(PATIENCE);
    arena.close();
  }
}
