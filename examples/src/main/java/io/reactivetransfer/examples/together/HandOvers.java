package io.reactivetransfer.examples.together;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.kvcache.FinishedLayer;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvMemory;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvPart;
import io.reactivetransfer.kvcache.KvPrefill;
import io.reactivetransfer.kvcache.KvRequest;
import io.reactivetransfer.kvcache.KvWritten;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.stream.IntStream;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** A KV cache goes from one node to another, into other pages each time. */
final class HandOvers implements Pipeline {

  private static final int LAYERS = 4;
  private static final int PAGES = 16;
  private static final int TOKENS_PER_PAGE = 16;
  private static final int PAGES_OF_ONE = 5;
  private static final KvLayout LAYOUT =
      KvLayout.contiguous(
          LAYERS,
          PAGES,
          TOKENS_PER_PAGE,
          KvPart.tokenMajor("k", 0, 2, 128),
          KvPart.tokenMajor("v", 0, 2, 128));
  private static final int PARTS = 2;
  private static final int PAGE_BYTES = TOKENS_PER_PAGE * 2 * 128;

  private final Site decodeSite;
  private final Site prefillSite;
  private final MemorySegment computed;
  private final MemorySegment received;
  private final KvPrefill prefill;
  private final KvDecode decode;
  private final Disposable serving;

  private HandOvers(Site prefillSite, Site decodeSite, MemoryRegion source, MemoryRegion target) {
    this.prefillSite = prefillSite;
    this.decodeSite = decodeSite;
    this.computed = memoryOf(source);
    this.received = memoryOf(target);
    String model = "from-" + prefillSite.name;
    this.prefill = prefillSite.cache.prefill(model, KvMemory.of(source, LAYOUT));
    this.decode = decodeSite.cache.decode(model, KvMemory.of(target, LAYOUT));
    this.serving = prefill.serve(1, this::answer).subscribe();
  }

  static Mono<Pipeline> open(Site prefill, Site decode) {
    return Mono.zip(register(prefill), register(decode))
        .map(regions -> new HandOvers(prefill, decode, regions.getT1(), regions.getT2()));
  }

  private static Mono<MemoryRegion> register(Site site) {
    return Mono.defer(() -> site.engine.register(site.allocate(LAYOUT.bytes(0))));
  }

  private static MemorySegment memoryOf(MemoryRegion region) {
    return ((HostMemory) region.memory()).segment();
  }

  @Override
  public String name() {
    return "KV " + prefillSite.name + " to " + decodeSite.name;
  }

  @Override
  public long bytes() {
    return (long) LAYERS * PARTS * PAGES_OF_ONE * PAGE_BYTES;
  }

  /** Nobody else reads what is computed: the one before has ended. */
  private Flux<KvWritten> answer(KvRequest request) {
    long number = request.body().getLong();
    Bytes.fill(computed, number);
    Flux<FinishedLayer> layers =
        Flux.range(0, LAYERS).map(layer -> FinishedLayer.whole(layer, request));
    return prefill.handOver(request, PageList.range(0, request.pages()), layers);
  }

  @Override
  public Mono<Void> once(long number) {
    return Mono.defer(() -> {
      int[] pages =
          IntStream.range(0, PAGES_OF_ONE)
              .map(page -> (int) ((number + 3L * page) % PAGES))
              .toArray();
      Sinks.Empty<Void> free = Sinks.empty();
      KvOrder order =
          KvOrder.into(
                  decodeSite.engine.peer(prefillSite.engine.address()),
                  PageList.of(pages),
                  free::tryEmitEmpty)
              .tokens(PAGES_OF_ONE * TOKENS_PER_PAGE)
              .body(ByteBuffer.allocate(Long.BYTES).putLong(0, number))
              .build();
      return decode
          .receive(order, _ -> Mono.fromRunnable(() -> compare(pages, number)))
          .then(free.asMono());
    });
  }

  private void compare(int[] pages, long number) {
    for (int layer = 0; layer < LAYERS; layer++) {
      for (int part = 0; part < PARTS; part++) {
        for (int i = 0; i < pages.length; i++) {
          MemorySegment page = received.asSlice(LAYOUT.offset(layer, part, pages[i]), PAGE_BYTES);
          Bytes.require(name(), page, number, LAYOUT.offset(layer, part, i));
        }
      }
    }
  }

  @Override
  public Mono<Void> close() {
    return Mono.defer(() -> {
      serving.dispose();
      prefill.dispose();
      decode.dispose();
      return decode.closed();
    });
  }
}
