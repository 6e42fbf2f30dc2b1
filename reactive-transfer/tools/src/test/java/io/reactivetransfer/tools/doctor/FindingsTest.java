package io.reactivetransfer.tools.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
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
}
