package io.reactivetransfer.kvcache;

import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.MemorySlice;
import io.reactivetransfer.RegionDescriptor;
import java.util.Collection;
import java.util.List;
import reactor.core.publisher.Mono;

/** What one prefill node is told of decode's memory for one order, and how it is taken back. */
interface PeerMemory {

  /** The regions of the KV memory, as they are called now. */
  List<RegionDescriptor> regions();

  /** The region of the tail, as it is called now. */
  RegionDescriptor tail(MemorySlice tail);

  /** Completes when nothing lands any more that the node, which was lost, has posted. */
  Mono<Void> lost();

  /** Closes what was registered for this order alone. */
  Mono<Void> ended();

  /** All that the node was told of: when that is revoked, it cannot write any more. */
  Collection<MemoryRegion> exposed();
}
