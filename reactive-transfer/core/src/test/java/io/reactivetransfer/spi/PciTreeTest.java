package io.reactivetransfer.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Nic;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PciTreeTest {

  private static final String GPU = "0000:3d:00.0";

  @TempDir private Path sys;

  private PciTree tree;

  @BeforeEach
  void twoSockets() {
    String bridge = "pci0000:3a ";
    String port = bridge + "0000:3a:00.0 ";
    String above = port + "0000:3b:00.0 ";
    tree =
        new MadeUpMachine(sys)
            .with(0, above + "0000:3c:04.0 " + GPU)
            .with(0, above + "0000:3c:04.0 0000:3d:00.1")
            .with(0, above + "0000:3c:08.0 0000:3e:00.0")
            .with(0, above + "0000:3c:0c.0 0000:40:00.0 0000:41:00.0 0000:42:00.0")
            .with(0, bridge + "0000:3a:02.0 0000:50:00.0")
            .with(0, "pci0000:5d 0000:5d:00.0 0000:5e:00.0")
            .with(1, "pci0000:ae 0000:ae:00.0 0000:af:00.0")
            .with(-1, "pci0000:d7 0000:d7:00.0 0000:d8:00.0")
            .with(1, "platform 14160000.pcie pci0001:00 0001:00:00.0 0001:01:00.0")
            .withInterface("eth0", above + "0000:3c:08.0 0000:3e:00.0")
            .withInterface("eth1", bridge + "0000:3a:02.0 0000:50:00.0 virtio2")
            .withInterface("veth", "virtual")
            .tree();
  }

  @ParameterizedTest
  @CsvSource({
    "0000:3d:00.0, PIX", // itself
    "0000:3d:00.1, PIX", // the same card
    "0000:3e:00.0, PIX", // the same switch
    "0000:42:00.0, PXB", // a switch below that
    "0000:50:00.0, PHB",
    "0000:5e:00.0, NODE",
    "0000:af:00.0, SYS",
    "0001:01:00.0, SYS",
    "0000:d8:00.0, UNKNOWN", // there, but on no known node
    "0000:ff:00.0, UNKNOWN", // not there
    "../../../0000:3e:00.0, UNKNOWN", // no address
    ", UNKNOWN",
  })
  void theDistanceIsWhatBytesHaveToPass(String address, Distance expected) {
    Nic nic = Nic.named("nic").withPciPath(address);
    assertThat(tree.distance(nic, GPU)).isEqualTo(expected);
    assertThat(tree.distance(Nic.named("nic").withPciPath(GPU), address)).isEqualTo(expected);
  }

  @Test
  void whereThePathIsNotKnownTheNodeSaysIt() {
    assertThat(tree.distance(Nic.named("nic").withNumaNode(0), GPU)).isEqualTo(Distance.NODE);
    assertThat(tree.distance(Nic.named("nic").withNumaNode(1), GPU)).isEqualTo(Distance.SYS);
    assertThat(tree.distance(Nic.named("nic").withNumaNode(1), null)).isEqualTo(Distance.UNKNOWN);
  }

  @Test
  void aMachineThatSaysNothingIsUnknown() {
    PciTree nothing = new PciTree(sys.resolve("nothing"));
    assertThat(nothing.distance(Nic.named("nic").withPciPath("0000:3e:00.0"), GPU))
        .isEqualTo(Distance.UNKNOWN);
    assertThat(nothing.numaNode(GPU)).isEqualTo(-1);
    assertThat(nothing.addressOfInterface("eth0")).isNull();
  }

  @Test
  void namesTheCardOfANetworkInterface() {
    assertThat(tree.addressOfInterface("eth0")).isEqualTo("0000:3e:00.0");
    assertThat(tree.addressOfInterface("eth1")).as("of virtio").isEqualTo("0000:50:00.0");
    assertThat(tree.addressOfInterface("veth")).isNull();
    assertThat(tree.addressOfInterface("lo")).isNull();
  }

  @Test
  void nearerIsWhatPassesLess() {
    assertThat(Distance.PIX.isNearerThan(Distance.PXB)).isTrue();
    assertThat(Distance.SYS.isNearerThan(Distance.NODE)).isFalse();
    assertThat(Distance.SYS.isNearerThan(Distance.UNKNOWN)).isTrue();
    assertThat(Distance.PHB.isNearerThan(Distance.PHB)).isFalse();
    assertThat(Distance.SYS).hasToString("SYS (across sockets)");
    assertThat(Distance.UNKNOWN).hasToString("distance unknown");
  }
}
