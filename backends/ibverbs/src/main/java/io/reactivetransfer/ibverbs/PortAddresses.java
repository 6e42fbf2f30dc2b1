package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ibverbs.ffi.Gid;
import io.reactivetransfer.ibverbs.ffi.GidInfo;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.ibverbs.ffi.PortInfo;
import io.reactivetransfer.ibverbs.ffi.Verbs;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The addresses with which a port can be a NIC: those of RoCE v2, and over InfiniBand its first.
 *
 * @param entries the best first, and among equals the first of the port's table
 */
record PortAddresses(List<Entry> entries) {

  /** More than any card has. */
  private static final int MOST_GIDS = 1_024;

  PortAddresses {
    entries = List.copyOf(entries);
  }

  /**
   * One of them.
   *
   * @param index in the port's table
   * @param gid the address
   */
  record Entry(int index, Gid gid) {

    /** An IPv4 address first, then any that is not of the link only, then any. */
    private int rank() {
      if (gid.isLinkLocal()) {
        return 1;
      }
      return gid.isIpv4() ? 3 : 2;
    }
  }

  /** What the table of a port says. */
  static PortAddresses of(Verbs verbs, long context, int number, PortInfo info) {
    boolean isEthernet = info.linkLayer() == Ib.IBV_LINK_LAYER_ETHERNET;
    List<Entry> entries = new ArrayList<>();
    for (int index = 0; index < (isEthernet ? Math.min(info.gids(), MOST_GIDS) : 1); index++) {
      GidInfo gid = GidInfo.of(verbs, context, number, index).value();
      if (gid != null && (!isEthernet || gid.type() == Ib.IBV_GID_TYPE_ROCE_V2)) {
        entries.add(new Entry(index, gid.gid()));
      }
    }
    entries.sort(Comparator.comparingInt(Entry::rank).reversed());
    return new PortAddresses(entries);
  }
}
