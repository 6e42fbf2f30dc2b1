package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.OpenContext;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TcpBackendTest {

  @Test
  void isFoundByName() {
    assertThat(ServiceLoader.load(Backend.class))
        .filteredOn(backend -> backend.name().equals("tcp"))
        .singleElement()
        .satisfies(backend -> {
          assertThat(backend.availability()).isInstanceOf(Availability.Available.class);
          assertThat(backend.nics()).extracting(Nic::name).containsExactly("tcp0", "tcp1");
        });
  }

  @Test
  void hasAsManyNicsAsAreWanted() {
    TcpBackend backend = TcpBackend.builder().nics(3).build();

    assertThat(backend.nics()).hasSize(3);
    assertThat(backend.nics(8)).extracting(Nic::name).endsWith("tcp7").hasSize(8);
    assertThatThrownBy(() -> backend.nics(9)).isInstanceOf(BackendException.class);
    assertThatThrownBy(() -> backend.nics(0)).isInstanceOf(BackendException.class);
  }

  @Test
  void needsAnAdvertisedHostForAllInterfaces() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TcpBackend.builder().host("0.0.0.0").build())
        .withMessageContaining("advertised host");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "no spaces", "no-such-host.invalid", "umläut"})
  void refusesAHostThatIsNone(String host) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TcpBackend.builder().host(host).build())
        .withMessageContaining("host");
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 65_529, 65_536})
  void refusesAPortThatIsNone(int port) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TcpBackend.builder().port(port))
        .withMessageContaining("port");
  }

  @Test
  void runsOnlyOnItsOwnLoop() {
    TcpBackend backend = new TcpBackend();
    OpenContext context = OpenContext.builder(new EngineId(1, 2), 0, () -> {}).build();

    assertThat(backend.open(backend.nics().getFirst(), context).toCompletableFuture())
        .isCompletedExceptionally();
    assertThat(backend.open(Nic.named("eth0"), context).toCompletableFuture())
        .isCompletedExceptionally();
  }
}
