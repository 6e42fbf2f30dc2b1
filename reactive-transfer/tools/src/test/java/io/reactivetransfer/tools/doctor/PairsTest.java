package io.reactivetransfer.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.DeviceWay;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.PciTree;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On a machine of two sockets that is made up: a NIC and an accelerator on each. */
class PairsTest {

  private static final Nic HERE = Nic.named("n0").withPciPath("0000:02:00.0");
  private static final Nic THERE = Nic.named("n1").withPciPath("0000:82:00.0");
  private static final Nic SOFTWARE = Nic.named("n2");

  @TempDir private Path sys;

  private record FakeBackend(List<Nic> nics, DeviceWay way) implements Backend {

    @Override
    public String name() {
      return "fake";
    }

    @Override
    public Availability availability() {
      return nics.isEmpty()
          ? Availability.unavailable("there is no NIC", "buy one")
          : Availability.available();
    }

    @Override
    public DeviceWay wayTo(Nic nic, Device device, DeviceAccess access) {
      return way;
    }

    @Override
    public CompletionStage<ControlChannel> openControl(ControlContext context) {
      throw new UnsupportedOperationException();
    }

    @Override
    public CompletionStage<Domain> open(Nic nic, OpenContext context) {
      throw new UnsupportedOperationException();
    }
  }

  private record Accelerators(Availability availability) implements DeviceAccess {

    @Override
    public List<Device> devices() {
      return List.of(Device.of("abacus", 0), Device.of("abacus", 1));
    }

    @Override
    public String pciAddress(Device device) {
      return device.ordinal() == 0 ? "0000:01:00.0" : "0000:81:00.0";
    }

    @Override
    public void copyToHost(DeviceMemory from, long at, MemorySegment to, long offset, long length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void copyFromHost(
        MemorySegment from, long at, DeviceMemory to, long offset, long length) {
      throw new UnsupportedOperationException();
    }

    @Override
    public long peek(DeviceMemory memory, long offset) {
      throw new UnsupportedOperationException();
    }
  }

  @BeforeEach
  void twoSockets() throws IOException {
    for (int socket : new int[] {0, 8}) {
      for (String bus : List.of("01", "02")) {
        String address = "0000:" + socket + bus.charAt(1) + ":00.0";
        Path device =
            sys.resolve(
                "devices/pci0000:"
                    + socket
                    + "0/0000:"
                    + socket
                    + "0:0"
                    + bus.charAt(1)
                    + ".0/"
                    + address);
        Files.createDirectories(device);
        Files.writeString(device.resolve("numa_node"), socket / 8 + "\n");
        Path link = sys.resolve("bus/pci/devices").resolve(address);
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, device);
      }
    }
  }

  private List<String> lines(Iterator<Backend> backends, DeviceAccess access) {
    return Pairs.lines(backends, List.of(access).iterator(), new PciTree(sys));
  }

  private List<String> lines(DeviceWay way, Nic... nics) {
    return lines(
        List.<Backend>of(new FakeBackend(List.of(nics), way)).iterator(),
        new Accelerators(Availability.available()));
  }

  @Test
  void saysTheWayAndTheDistanceOfEachPairAndWhichNicsAreNearer() {
    assertThat(lines(DeviceWay.DMA_BUF, HERE, THERE, SOFTWARE))
        .containsExactly(
            "abacus:0    fake n0: dma-buf, PHB (the same host bridge)",
            "abacus:0    fake n1: dma-buf, SYS (across sockets); warning: nearer are n0",
            "abacus:0    fake n2: dma-buf, distance unknown",
            "abacus:1    fake n0: dma-buf, SYS (across sockets); warning: nearer are n1",
            "abacus:1    fake n1: dma-buf, PHB (the same host bridge)",
            "abacus:1    fake n2: dma-buf, distance unknown");
  }

  @Test
  void warnsWhereNoNicIsNearerThanTheOtherSocket() {
    assertThat(lines(DeviceWay.PEER_MEMORY, HERE).get(1))
        .isEqualTo(
            "abacus:1    fake n0: by its address (nvidia-peermem), SYS (across sockets); warning:"
                + " no NIC is nearer, so bytes pass from socket to socket");
  }

  @Test
  void doesNotWarnWhereBytesGoThroughTheHostAnyway() {
    assertThat(lines(DeviceWay.STAGED, HERE, THERE))
        .hasSize(4)
        .contains("abacus:0    fake n1: staged through the host, SYS (across sockets)")
        .noneMatch(line -> line.contains("warning"));
    assertThat(lines(DeviceWay.NONE, THERE)).noneMatch(line -> line.contains("warning"));
  }

  @Test
  void leavesOutWhatIsNotAvailableOrBroken() {
    assertThat(lines(DeviceWay.STAGED)).isEmpty();
    assertThat(
            lines(
                List.<Backend>of(new FakeBackend(List.of(HERE), DeviceWay.STAGED)).iterator(),
                new Accelerators(Availability.unavailable("no driver", "install it"))))
        .isEmpty();
    Iterator<Backend> sound =
        List.<Backend>of(new FakeBackend(List.of(HERE), DeviceWay.STAGED)).iterator();
    Iterator<Backend> broken =
        new Iterator<>() {
          private boolean failed;

          @Override
          public boolean hasNext() {
            return sound.hasNext();
          }

          @Override
          public Backend next() {
            if (!failed) {
              failed = true;
              throw new ServiceConfigurationError("no such class");
            }
            return sound.next();
          }
        };
    assertThat(lines(broken, new Accelerators(Availability.available()))).hasSize(2);
  }
}
