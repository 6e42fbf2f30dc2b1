package io.reactivetransfer.examples.jlama;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.examples.jlama.engine.BlockLayout;
import io.reactivetransfer.examples.jlama.engine.BlockStore;
import io.reactivetransfer.examples.jlama.engine.InferenceEngine;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvCacheOptions;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvMemory;
import io.reactivetransfer.kvcache.KvPart;
import io.reactivetransfer.kvcache.KvPlace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** An inference engine, an engine of the library, and the memory that both know. */
final class Node implements AutoCloseable {

  /** The name by which both sides know the model. */
  static final String MODEL = "random-llama";

  private static final Duration SETUP = Duration.ofSeconds(30);

  /**
   * Nodes compute on all cores of one machine, and may be silent for a while when it has others to
   * serve, too. One that is killed is found at once all the same, by the end of its connection.
   */
  private static final Duration SILENCE = Duration.ofSeconds(30);

  private static final long ALIGNMENT = 4096;

  private final Arena arena;
  final String name;
  final TransferEngine engine;
  final MemoryRegion region;
  final KvMemory memory;
  final TailSlots tails;
  final KvCache cache;
  final InferenceEngine inference;

  /** Computes one thing after the other, and may wait. */
  final Scheduler compute;

  private Node(
      Arena arena,
      String name,
      Duration deadline,
      TransferEngine engine,
      MemoryRegion region,
      TailSlots tails,
      InferenceEngine inference) {
    this.arena = arena;
    this.name = name;
    this.engine = engine;
    this.region = region;
    this.memory = new KvMemory(List.of(region), layout(inference.store().layout()));
    this.tails = tails;
    // It gives others as much time as the plan does, however long that is.
    this.cache = KvCache.open(engine, name, KvCacheOptions.builder().maxDeadline(deadline).build());
    this.inference = inference;
    this.compute = Schedulers.newBoundedElastic(1, Integer.MAX_VALUE, name);
  }

  @SuppressWarnings("MustBeClosed") // the node closes it
  static Node open(Plan plan, String name, boolean decodes) {
    Arena arena = Arena.ofShared();
    EngineOptions options =
        EngineOptions.builder().maxMessageBytes(1 << 16).livenessDeadline(SILENCE).build();
    TransferEngine engine =
        await(TransferEngineBuilder.create().backend(plan.backend()).options(options).open());
    BlockLayout blocks = plan.blocks(decodes);
    MemorySegment memory = arena.allocate(blocks.bytes(), ALIGNMENT);
    MemoryRegion region = await(engine.register(memory));
    int length = plan.model().embedding();
    MemorySegment tails = arena.allocate(TailSlots.bytes(length), ALIGNMENT);
    MemoryRegion tailRegion = await(engine.register(tails));
    return new Node(
        arena,
        name,
        plan.deadline(),
        engine,
        region,
        new TailSlots(tailRegion, tails, length),
        new InferenceEngine(new BlockStore(blocks, memory), plan.seed()));
  }

  /** Says to the library how the engine's blocks lie: all that it needs to know of them. */
  static KvLayout layout(BlockLayout blocks) {
    int heads = blocks.model().kvHeads();
    int headBytes = blocks.model().headLength() * Float.BYTES;
    return KvLayout.builder()
        .layers(blocks.model().layers())
        .pages(blocks.blocks())
        .pageTokens(blocks.blockTokens())
        .part(KvPart.tokenMajor("keys", 0, heads, headBytes))
        .part(KvPart.tokenMajor("values", 0, heads, headBytes))
        .places((layer, part) -> new KvPlace(0, blocks.offset(layer, part), blocks.blockBytes()))
        .build();
  }

  static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(SETUP));
  }

  /** The memory goes only when no NIC can touch it any more. */
  @Override
  public void close() {
    cache.dispose();
    engine.close().block(SETUP);
    compute.disposeGracefully().block(SETUP);
    inference.close();
    arena.close();
  }
}
