package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.PciTree;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NicPlacesTest {

  private static final Nic NIC = Nic.named("tcp0");

  @TempDir private Path sys;

  /** As if an interface of this machine were a card's. */
  private PciTree withACardFor(NetworkInterface network) throws IOException {
    Path card = sys.resolve("devices/pci0000:00/0000:00:01.0/0000:01:00.0");
    Files.createDirectories(card);
    Files.writeString(card.resolve("numa_node"), "1\n");
    Path all = Files.createDirectories(sys.resolve("bus/pci/devices"));
    Files.createSymbolicLink(all.resolve("0000:01:00.0"), card);
    Path link = Files.createDirectories(sys.resolve("class/net").resolve(network.getName()));
    Files.createSymbolicLink(link.resolve("device"), card);
    return new PciTree(sys);
  }

  @Test
  void theCardOfAnInterfaceIsThatOfTheNic() throws IOException {
    NetworkInterface network = NetworkInterface.networkInterfaces().findFirst().orElseThrow();
    assertThat(NicPlaces.onInterface(NIC, network, withACardFor(network)))
        .isEqualTo(NIC.withPciPath("0000:01:00.0").withNumaNode(1));
    assertThat(NicPlaces.onInterface(NIC, network, new PciTree(sys.resolve("nothing"))))
        .isEqualTo(NIC);
    assertThat(NicPlaces.onInterface(NIC, null, new PciTree(sys))).isEqualTo(NIC);
  }

  @Test
  void whatListensEverywhereOrOnNoCardIsNowhere() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    PciTree tree = withACardFor(NetworkInterface.getByInetAddress(loopback));
    assertThat(NicPlaces.placed(NIC, loopback, tree)).isEqualTo(NIC);
    assertThat(NicPlaces.placed(NIC, InetAddress.getByName("0.0.0.0"), tree)).isEqualTo(NIC);
  }
}
