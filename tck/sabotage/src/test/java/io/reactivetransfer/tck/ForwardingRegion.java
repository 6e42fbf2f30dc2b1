package io.reactivetransfer.tck;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.RegionDescriptor;
import io.reactivetransfer.TransferEngine;
import java.util.function.UnaryOperator;
import reactor.core.publisher.Mono;

/** A region that does what another one does; the base of what changes one thing. */
class ForwardingRegion implements MemoryRegion {

  final MemoryRegion inner;

  ForwardingRegion(MemoryRegion inner) {
    this.inner = inner;
  }

  /** An engine all of whose regions are wrapped. */
  static TransferEngine on(TransferEngine engine, UnaryOperator<MemoryRegion> wrapper) {
    return new ForwardingEngine(engine) {
      @Override
      public Mono<MemoryRegion> register(Memory memory, Access access) {
        return inner.register(memory, access).map(wrapper);
      }
    };
  }

  @Override
  public EngineId engine() {
    return inner.engine();
  }

  @Override
  public Memory memory() {
    return inner.memory();
  }

  @Override
  public long length() {
    return inner.length();
  }

  @Override
  public Access access() {
    return inner.access();
  }

  @Override
  public RegionDescriptor descriptor() {
    return inner.descriptor();
  }

  @Override
  public MemorySlice slice(long offset, long length) {
    return inner.slice(offset, length);
  }

  @Override
  public boolean isClosed() {
    return inner.isClosed();
  }

  @Override
  public Mono<Void> quiesced() {
    return inner.quiesced();
  }

  @Override
  public Mono<Void> revoke() {
    return inner.revoke();
  }

  @Override
  public Mono<Void> close() {
    return inner.close();
  }
}
