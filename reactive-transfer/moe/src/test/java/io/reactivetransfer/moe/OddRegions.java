package io.reactivetransfer.moe;

import io.reactivetransfer.AimedWrite;
import io.reactivetransfer.GatherList;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.Transfer;
import io.reactivetransfer.TransferEngine;
import java.time.Duration;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * Regions that do most as those of an engine do, and can be written from as these can: an engine
 * takes none but its own, so writes are aimed at the same bytes of its own on their way to it.
 */
final class OddRegions {

  private final Map<MemoryRegion, MemoryRegion> own =
      Collections.synchronizedMap(new IdentityHashMap<>());

  MemoryRegion odd(MemoryRegion region, Proxied.Instead instead) {
    MemoryRegion odd = Proxied.of(MemoryRegion.class, region, instead);
    own.put(odd, region);
    return odd;
  }

  /** As the engine submits them; emits what was given. */
  @SuppressWarnings("unchecked")
  Flux<Transfer> submit(TransferEngine engine, Publisher<?> writes, Duration deadline) {
    Map<Transfer, Transfer> given = Collections.synchronizedMap(new IdentityHashMap<>());
    return engine
        .submit(
            Flux.from((Publisher<Transfer>) writes)
                .map(write -> {
                  Transfer like = like(write);
                  given.put(like, write);
                  return like;
                }),
            deadline)
        .map(given::remove);
  }

  private Transfer like(Transfer write) {
    if (!(write instanceof AimedWrite aimed && own.containsKey(aimed.source()))) {
      return write; // of a slice, which is one of the original
    }
    return copy(aimed, own.get(aimed.source()));
  }

  /** One from there, that is aimed at the same. */
  static AimedWrite copy(AimedWrite aimed, MemoryRegion source) {
    AimedWrite copy = AimedWrite.between(source, aimed.target(), aimed.imm());
    GatherList list = aimed.list();
    return list == null
        ? copy.aim(aimed.sourceOffset(), aimed.targetOffset(), aimed.length())
        : copy.aim(list.copy(), aimed.sourceOffset(), aimed.targetOffset());
  }
}
