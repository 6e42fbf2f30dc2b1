package io.reactivetransfer.examples.moe;

import io.reactivetransfer.Access;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.moe.ExpertBatch;
import io.reactivetransfer.moe.MoeStep;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Mono;

/**
 * Where a rank has its tokens. Those of the host are registered, so that NICs that can gather rows
 * read them where they are.
 */
final class TokenMemory {

  private final Memory memory;
  private final @Nullable MemorySlice registered;

  private TokenMemory(Memory memory, @Nullable MemorySlice registered) {
    this.memory = memory;
    this.registered = registered;
  }

  /** Of this engine, until it is closed. */
  static TokenMemory of(TransferEngine engine, Memory memory) {
    return new TokenMemory(
        memory,
        memory instanceof HostMemory host && host.segment().isNative()
            ? Node.await(engine.register(memory, Access.LOCAL)).whole()
            : null);
  }

  Mono<Void> send(MoeStep step) {
    return registered == null ? step.dispatchSend(memory) : step.dispatchSend(registered);
  }

  Mono<Void> run(
      MoeStep step, Function<? super ExpertBatch, ? extends Publisher<?>> experts, Memory sums) {
    return registered == null
        ? step.run(memory, experts, sums)
        : step.run(registered, experts, sums);
  }
}
