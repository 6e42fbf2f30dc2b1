package io.reactivetransfer.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NumaNodesTest {

  @TempDir private Path sys;
  private NumaNodes nodes;

  @BeforeEach
  void makeMachine() throws IOException {
    Files.createDirectories(sys.resolve("devices/system/cpu/cpu5/node1"));
    Files.createDirectories(sys.resolve("devices/system/cpu/cpu5/topology"));
    Files.createDirectories(sys.resolve("devices/system/cpu/cpu6"));
    write("devices/system/node/node1/cpulist", "4-7,12\n");
    write("bus/pci/devices/0000:3b:00.0/numa_node", "1\n");
    write("bus/pci/devices/0000:3c:00.0/numa_node", "-1\n");
    write("bus/pci/devices/0000:3d:00.0/numa_node", "nonsense\n");
    nodes = new NumaNodes(sys);
  }

  private void write(String file, String text) throws IOException {
    Path path = sys.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  @Test
  void knowsTheNodeOfACpu() {
    assertThat(nodes.nodeOfCpu(5)).isEqualTo(1);
    assertThat(nodes.nodeOfCpu(6)).isEqualTo(NumaNodes.UNKNOWN);
    assertThat(nodes.nodeOfCpu(7)).isEqualTo(NumaNodes.UNKNOWN);
    assertThat(nodes.nodeOfCpu(-1)).isEqualTo(NumaNodes.UNKNOWN);
  }

  @Test
  void knowsTheNodeOfADevice() {
    assertThat(nodes.nodeOfPciDevice("0000:3b:00.0")).isEqualTo(1);
    assertThat(nodes.nodeOfDevice(sys.resolve("bus/pci/devices/0000:3b:00.0"))).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0000:3c:00.0", "0000:3d:00.0", "not:there", ""})
  void saysThatANodeIsUnknown(String address) {
    assertThat(nodes.nodeOfPciDevice(address)).isEqualTo(NumaNodes.UNKNOWN);
  }

  @Test
  void knowsTheCpusOfANode() {
    BitSet cpus = new BitSet();
    cpus.set(4, 8);
    cpus.set(12);
    assertThat(nodes.cpusOf(1)).isEqualTo(cpus);
    assertThat(nodes.cpusOf(0).isEmpty()).isTrue();
    assertThat(nodes.cpusOf(-1).isEmpty()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "1-", "-1", "1,,2", "7-4", "1 2", "99999999999"})
  void anotherTextIsNoList(String text) {
    assertThat(CpuList.parse(text).isEmpty()).isTrue();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void thisMachineAgreesWithItself() {
    NumaNodes here = NumaNodes.system();
    int node = here.nodeOfCpu(0);
    if (node != NumaNodes.UNKNOWN) {
      assertThat(here.cpusOf(node).get(0)).isTrue();
    }
  }
}
