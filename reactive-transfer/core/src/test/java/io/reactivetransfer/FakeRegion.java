package io.reactivetransfer;

import reactor.core.publisher.Mono;

/** A region that has a length and is open or closed; nothing else of it is used. */
final class FakeRegion implements MemoryRegion {

  private final long length;
  boolean closed;

  FakeRegion(long length) {
    this.length = length;
  }

  @Override
  public EngineId engine() {
    throw new IllegalStateException("not used");
  }

  @Override
  public Memory memory() {
    return new DeviceMemory(Device.of("fake", 0), 4096, length);
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public Access access() {
    return Access.LOCAL;
  }

  @Override
  public RegionDescriptor descriptor() {
    throw new IllegalStateException("not used");
  }

  @Override
  public boolean isClosed() {
    return closed;
  }

  @Override
  public Mono<Void> quiesced() {
    return Mono.empty();
  }

  @Override
  public Mono<Void> revoke() {
    return Mono.empty();
  }

  @Override
  public Mono<Void> close() {
    return Mono.empty();
  }
}
