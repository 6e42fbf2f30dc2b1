package io.reactivetransfer.libfabric;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivetransfer.libfabric.ffi.Fi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import reactor.util.Logger;
import reactor.util.Loggers;

/** The addresses that endpoints without connections send to. */
final class AddressVector {

  private static final Logger LOG = Loggers.getLogger(AddressVector.class);

  private static final int EXPECTED = 64;

  private final OpenFabric fabric;
  private final MemorySegment handle;
  private final long vector;

  AddressVector(OpenFabric fabric, Arena arena) {
    this.fabric = fabric;
    this.handle = arena.allocate(JAVA_LONG);
    this.vector =
        fabric.makeBase(
            "fi_av_open",
            out -> fabric.lib.fi_av_open(fabric.domain(), fabric.info.avType(), EXPECTED, out));
  }

  long fid() {
    return vector;
  }

  /**
   * Adds an address, and gives its handle.
   *
   * @throws io.reactivetransfer.spi.BackendException if the provider does not take it
   */
  long insert(byte[] name) {
    int added = fabric.lib.fi_av_insert(vector, fabric.address(name), handle.address());
    if (added != 1) {
      throw fabric.error("fi_av_insert", Math.min(added, -Fi.FI_EINVAL));
    }
    return handle.get(JAVA_LONG, 0);
  }

  /** Removes an address. */
  void remove(long known) {
    handle.set(JAVA_LONG, 0, known);
    int result = fabric.lib.fi_av_remove(vector, handle.address());
    if (result < 0) {
      LOG.debug("an address could not be removed: {}", fabric.lib.fi_strerror(-result));
    }
  }
}
