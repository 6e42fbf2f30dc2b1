package io.reactivetransfer.weights.version;

import io.reactivetransfer.HostMemory;
import io.reactivetransfer.Memory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.Stream;

/**
 * Memory for one version of the weights of a rank: as many regions as its description in the
 * routing table has, in that order. It stays the caller's: keep it alive until the rank is closed.
 *
 * @param regions 1 to 1,024
 */
public record WeightsBuffer(List<Memory> regions) {

  /** Copies the list. */
  public WeightsBuffer {
    regions = List.copyOf(regions);
    if (regions.isEmpty() || regions.size() > VersionCodec.MAX_REGIONS) {
      throw new IllegalArgumentException(
          "expected 1 to "
              + VersionCodec.MAX_REGIONS
              + " regions in a buffer, got "
              + regions.size());
    }
  }

  /** Host memory. */
  public static WeightsBuffer of(MemorySegment... regions) {
    return new WeightsBuffer(Stream.of(regions).<Memory>map(HostMemory::new).toList());
  }
}
