package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Access;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PageList;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.kvcache.KvCache;
import io.reactivetransfer.kvcache.KvDecode;
import io.reactivetransfer.kvcache.KvLayout;
import io.reactivetransfer.kvcache.KvMemory;
import io.reactivetransfer.kvcache.KvOrder;
import io.reactivetransfer.kvcache.KvPart;
import io.reactivetransfer.kvcache.KvPrefill;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.Arrays;
import java.util.Objects;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.Disposable;
import reactor.core.publisher.Mono;

/** A cache that lies on one GPU goes to another one, layer by layer as a stream says. */
class KvCacheOnGpusTest {

  private static final Duration PATIENCE = Duration.ofSeconds(50);
  private static final int LAYERS = 4;
  private static final int PAGES = 8;

  /** Pages of 16 tokens, each with keys and values of 2 heads of 128 bytes. */
  private static final KvLayout LAYOUT =
      KvLayout.contiguous(
          LAYERS, PAGES, 16, KvPart.tokenMajor("k", 0, 2, 128), KvPart.tokenMajor("v", 0, 2, 128));

  @RegisterExtension private final Gpus gpus = new Gpus();

  private final CudaAccess access = new CudaAccess();

  private static TransferEngine engine(String backend) {
    return await(TransferEngineBuilder.create().backend(backend).open());
  }

  private static <T> T await(Mono<T> mono) {
    return Objects.requireNonNull(mono.block(PATIENCE));
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "loopback"})
  void isHandedOverAsAStreamFinishesItsLayers(String backend) {
    int bytes = Math.toIntExact(LAYOUT.bytes(0));
    TransferEngine prefillEngine = engine(backend);
    TransferEngine decodeEngine = engine(backend);
    Gpu gpu = CudaDriver.here().gpu(Gpus.FIRST);
    OwnStream stream = gpu.within(OwnStream::create);
    try (CudaMemory computed = CudaMemory.allocate(Gpus.FIRST, bytes);
        CudaMemory received = CudaMemory.allocate(Gpus.SECOND, bytes);
        CudaWord progress = CudaWord.open(Gpus.FIRST);
        Arena arena = Arena.ofConfined()) {
      MemorySegment content = arena.allocateFrom(ValueLayout.JAVA_BYTE, Gpus.noise(bytes));
      access.copyFromHost(content, 0, computed.memory(), 0, bytes);
      MemoryRegion source = await(prefillEngine.register(computed.memory(), Access.LOCAL));
      MemoryRegion target = await(decodeEngine.register(received.memory(), Access.REMOTE_WRITE));
      KvPrefill prefill =
          KvCache.open(prefillEngine, "prefill").prefill("model", KvMemory.of(source, LAYOUT));
      Disposable serving =
          prefill
              .serve(
                  1,
                  request -> {
                    PageList pages = PageList.range(0, request.pages());
                    for (int layer = 1; layer <= LAYERS; layer++) {
                      progress.writeOn(stream, layer);
                    }
                    return prefill.handOver(
                        request, pages, prefill.watched(request, progress.memory().segment()));
                  })
              .subscribe();
      KvDecode decode =
          KvCache.open(decodeEngine, "decode").decode("model", KvMemory.of(target, LAYOUT));
      PageList free = PageList.of(7, 3);
      KvOrder order =
          KvOrder.into(decodeEngine.peer(prefillEngine.address()), free, () -> {})
              .tokens(32)
              .build();
      byte[] arrived =
          await(decode.receive(order, arrival -> Mono.fromSupplier(() -> bytes(received, bytes))));
      byte[] sent = content.toArray(ValueLayout.JAVA_BYTE);
      for (int layer = 0; layer < LAYERS; layer++) {
        for (int part = 0; part < 2; part++) {
          for (int i = 0; i < 2; i++) {
            int from = Math.toIntExact(LAYOUT.offset(layer, part, i));
            int to = Math.toIntExact(LAYOUT.offset(layer, part, i == 0 ? 7 : 3));
            int length = 16 * 2 * 128;
            assertThat(Arrays.copyOfRange(arrived, to, to + length))
                .as("page %s, part %s of layer %s", i, part, layer)
                .isEqualTo(Arrays.copyOfRange(sent, from, from + length));
          }
        }
      }
      serving.dispose();
      decodeEngine.close().then(prefillEngine.close()).block(PATIENCE);
    } finally {
      gpu.within(() -> JCudaDriver.cuStreamDestroy(stream));
    }
  }

  private byte[] bytes(CudaMemory memory, int length) {
    try (Arena own = Arena.ofConfined()) { // on another thread than the test's
      MemorySegment host = own.allocate(length);
      access.copyToHost(memory.memory(), 0, host, 0, length);
      return host.toArray(ValueLayout.JAVA_BYTE);
    }
  }
}
