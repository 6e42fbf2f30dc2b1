package io.reactivetransfer.tools;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class DoctorCommandTest {

  private record Fake(Availability availability, List<Nic> nics) implements Backend {

    @Override
    public String name() {
      return "fake";
    }

    @Override
    public CompletionStage<Domain> open(Nic nic, OpenContext context) {
      throw new UnsupportedOperationException();
    }
  }

  private final StringWriter text = new StringWriter();

  private boolean examine(Iterator<Backend> backends) {
    return DoctorCommand.examine(backends, new PrintWriter(text, true));
  }

  @Test
  void saysWhyABackendCannotRunAndHowToMendIt() {
    Backend backend =
        new Fake(
            Availability.unavailable("libfake.so.1 is missing", "install fake-core"), List.of());
    assertThat(examine(List.of(backend).iterator())).isFalse();
    assertThat(text.toString().lines())
        .containsExactly(
            "fake        not available: libfake.so.1 is missing",
            "            fix: install fake-core");
  }

  @Test
  void describesTheNicsOfOneThatCan() {
    List<Nic> nics = List.of(Nic.named("f0"), new Nic("f1", 400_000_000_000L, 1, "0000:01:00.0"));
    assertThat(examine(List.<Backend>of(new Fake(Availability.available(), nics)).iterator()))
        .isTrue();
    assertThat(text.toString()).contains("NICs: f0, f1 400 Gbit/s NUMA 1 PCI 0000:01:00.0");
  }

  @Test
  void oneBrokenProviderHidesNoOther() {
    Iterator<Backend> broken =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return true;
          }

          @Override
          public Backend next() {
            throw new ServiceConfigurationError("no such class");
          }
        };
    assertThat(examine(broken)).isFalse();
    assertThat(text.toString()).contains("not available: no such class");
  }
}
