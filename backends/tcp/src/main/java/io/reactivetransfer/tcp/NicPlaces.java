package io.reactivetransfer.tcp;

import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.PciTree;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;

/** Where the cards are whose addresses NICs have. */
final class NicPlaces {

  private NicPlaces() {}

  /**
   * A NIC that says where its card is; the same NIC if it has none, or nobody knows which: which
   * card connections leave by is up to the routes of the system, where it listens on all of them.
   *
   * @param address of this machine, on which it listens
   */
  static Nic placed(Nic nic, InetAddress address, PciTree tree) {
    if (address.isLoopbackAddress() || address.isAnyLocalAddress()) {
      return nic;
    }
    try {
      return onInterface(nic, NetworkInterface.getByInetAddress(address), tree);
    } catch (SocketException e) {
      return nic;
    }
  }

  static Nic onInterface(Nic nic, @Nullable NetworkInterface found, PciTree tree) {
    String card = found == null ? null : tree.addressOfInterface(found.getName());
    return card == null ? nic : nic.withPciPath(card).withNumaNode(tree.numaNode(card));
  }
}
