package io.reactivetransfer.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import java.lang.foreign.MemorySegment;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class FindingsTest {

  private record Fake(Availability availability, List<Nic> nics) implements Backend {

    @Override
    public String name() {
      return "fake";
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

  private static Findings examine(Backend... backends) {
    return Findings.of(List.of(backends).iterator());
  }

  @Test
  void saysWhyABackendCannotRunAndHowToMendIt() {
    Backend backend =
        new Fake(
            Availability.unavailable("libfake.so.1 is missing", "install fake-core"), List.of());
    Findings findings = examine(backend);
    assertThat(findings.available()).isEmpty();
    assertThat(findings.lines())
        .containsExactly(
            "fake        not available: libfake.so.1 is missing",
            "            fix: install fake-core");
  }

  @Test
  void describesTheNicsOfOneThatCan() {
    Nic known =
        Nic.named("f1")
            .withBitsPerSecond(400_000_000_000L)
            .withNumaNode(1)
            .withPciPath("0000:01:00.0");
    List<Nic> nics = List.of(Nic.named("f0"), known);
    Findings findings = examine(new Fake(Availability.available(), nics));
    assertThat(findings.available()).containsExactly("fake");
    assertThat(findings.lines())
        .anyMatch(it -> it.contains("NICs: f0, f1 400 Gbit/s NUMA 1 PCI 0000:01:00.0"));
  }

  @Test
  void oneBrokenProviderHidesNoOther() {
    Iterator<Backend> sound =
        List.<Backend>of(new Fake(Availability.available(), List.of(Nic.named("f0")))).iterator();
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
    Findings findings = Findings.of(broken);
    assertThat(findings.lines()).anyMatch(it -> it.contains("not available: no such class"));
    assertThat(findings.available()).containsExactly("fake");
  }

  @Test
  void anotherHostReadsTheSame() {
    Findings findings = new Findings(List.of("tcp", "fake"), List.of("a b", "", "c"));
    assertThat(Findings.of(findings.toLine())).isEqualTo(findings);
  }

  private record FakeAccess(Availability availability, List<Device> devices)
      implements DeviceAccess {

    @Override
    public String kind() {
      return "abacus";
    }

    @Override
    public String describe(Device device) {
      return "of wood, number " + device.ordinal();
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

  private static List<String> examine(Iterator<DeviceAccess> devices) {
    Findings findings = examine();
    findings.examineDevices(devices);
    return findings.lines();
  }

  @Test
  void describesAccelerators() {
    DeviceAccess access =
        new FakeAccess(
            Availability.available(), List.of(Device.of("abacus", 0), Device.of("abacus", 1)));
    assertThat(examine(List.of(access).iterator()))
        .containsExactly("abacus:0    of wood, number 0", "abacus:1    of wood, number 1");
  }

  @Test
  void saysWhyAcceleratorsCannotBeReachedAndHowToMendIt() {
    DeviceAccess access =
        new FakeAccess(Availability.unavailable("there is no driver", "install it"), List.of());
    assertThat(examine(List.of(access).iterator()))
        .containsExactly(
            "abacus      not available: there is no driver", "            fix: install it");
    assertThat(examine(List.<DeviceAccess>of().iterator()))
        .singleElement(STRING)
        .startsWith("devices     none");
  }

  @Test
  void anAccessThatFailsHidesNoOther() {
    DeviceAccess sound = new FakeAccess(Availability.available(), List.of(Device.of("abacus", 0)));
    DeviceAccess broken = new FakeAccess(null, List.of());
    assertThat(examine(List.of(broken, sound).iterator()))
        .anyMatch(line -> line.startsWith("abacus      not available: "))
        .anyMatch(line -> line.contains("of wood, number 0"));
  }
}
