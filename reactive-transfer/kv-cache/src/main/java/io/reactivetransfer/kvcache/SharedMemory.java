package io.reactivetransfer.kvcache;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.RegionDescriptor;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/**
 * The user's own registrations, the same for all peers: the engine keeps out those that are lost.
 */
record SharedMemory(List<MemoryRegion> shared, @Nullable MemorySlice tail) implements PeerMemory {

  @Override
  public List<RegionDescriptor> regions() {
    return shared.stream().map(MemoryRegion::descriptor).toList();
  }

  @Override
  public RegionDescriptor tail(MemorySlice slice) {
    return slice.region().descriptor();
  }

  @Override
  public Mono<Void> lost() {
    return Mono.empty();
  }

  @Override
  public Mono<Void> ended() {
    return Mono.empty();
  }

  @Override
  public Collection<MemoryRegion> exposed() {
    List<MemoryRegion> all = new ArrayList<>(shared);
    if (tail != null) {
      all.add(tail.region());
    }
    return all;
  }
}
