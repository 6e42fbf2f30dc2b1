package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.KEPT;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;

/** Layers that something else counts. */
@ParameterizedClass
@ValueSource(strings = "loopback")
class FinishedLayerTest extends HandOverFixture {

  @Test
  void countsOfAnySizeAreTaken() {
    decode.receive(order(), KEPT).subscribe(come -> {}, failed -> {});
    KvRequest request = nextRequest();
    Flux<Long> counts = Flux.just(Long.MIN_VALUE, -1L - (1L << 31), -1L, 0L, 2L, 1L, 1L << 40);
    assertThat(await(FinishedLayer.counted(counts, request).collectList()))
        .containsExactlyElementsOf(await(allLayers(request).collectList()));
  }
}
