package io.reactivetransfer.kvcache;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.IdleStrategy;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** An engine with memory for pages and tails. */
final class TestNode implements AutoCloseable {

  static final Duration PATIENCE = Duration.ofSeconds(20);

  /**
   * A NIC's thread that found nothing to do sleeps at once. By default it turns 2,000 times before,
   * which is for latency; of half a dozen engines on two cores most are waiting for one that works.
   */
  private static final IdleStrategy SLEEPS_AT_ONCE = IdleStrategy.backOff().withSpins(0);

  /** The model that all nodes of a test know. */
  static final String MODEL = "a model";

  /** For whoever looks at an arrival outside of its scope. */
  static final Function<KvArrival, Mono<KvArrival>> KEPT = arrival -> Mono.just(arrival.keep());

  private final Arena arena = Arena.ofShared();
  final TransferEngine engine;
  final KvLayout layout;
  final MemorySegment pages;
  final MemorySegment tails;
  final MemoryRegion tailRegion;
  final KvMemory memory;
  private @Nullable KvCache cache;

  TestNode(String backend, KvLayout layout) {
    this(backend, layout, EngineOptions.defaults());
  }

  TestNode(String backend, KvLayout layout, EngineOptions options) {
    this(
        TransferEngineBuilder.create()
            .backend(backend)
            .options(options.toBuilder().idle(SLEEPS_AT_ONCE).build()),
        layout);
  }

  /** One with a layout in one region. */
  TestNode(TransferEngineBuilder builder, KvLayout layout) {
    this.layout = layout;
    this.engine = await(builder.open());
    this.pages = arena.allocate(layout.bytes(0), 64);
    this.tails = arena.allocate(4096, 64);
    this.memory = KvMemory.of(await(engine.register(pages)), layout);
    this.tailRegion = await(engine.register(tails));
  }

  /** The one of this engine; opened when it is first asked for. */
  KvCache cache() {
    KvCache open = cache;
    return open == null ? open(KvCacheOptions.defaults()) : open;
  }

  /** Opens the one of this engine. */
  KvCache open(KvCacheOptions options) {
    KvCache open = KvCache.open(engine, engine.address().toString(), options);
    cache = open;
    return open;
  }

  KvDecode decode() {
    return cache().decode(MODEL, memory);
  }

  KvPrefill prefill() {
    return cache().prefill(MODEL, memory);
  }

  /** This node's engine, as another one sees it. */
  Peer seenFrom(TestNode other) {
    return other.engine.peer(engine.address());
  }

  /** Page contents that say where they are from. */
  void fill(int salt) {
    for (int layer = layout.firstLayer(); layer < layout.endLayer(); layer++) {
      for (int part = 0; part < layout.parts().size(); part++) {
        for (int page = 0; page < layout.pages(); page++) {
          page(layer, part, page).fill((byte) (salt + 31 * layer + 7 * part + page));
        }
      }
    }
  }

  /** A page of the only part. */
  MemorySegment page(int layer, int page) {
    return page(layer, 0, page);
  }

  MemorySegment page(int layer, int part, int page) {
    return pages.asSlice(
        layout.offset(layer, part, page), layout.parts().get(part).pageBytes(layout.pageTokens()));
  }

  /**
   * Whether all bytes are this one: so is the first, and each of the others is like that before.
   */
  static boolean consistsOf(MemorySegment bytes, byte pattern) {
    long others = bytes.byteSize() - 1;
    return bytes.get(ValueLayout.JAVA_BYTE, 0) == pattern
        && bytes.asSlice(1).mismatch(bytes.asSlice(0, others)) == -1;
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
