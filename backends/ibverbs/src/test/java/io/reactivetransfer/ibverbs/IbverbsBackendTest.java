package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import java.time.Duration;
import java.util.ServiceLoader;
import org.junit.jupiter.api.Test;

/** What a backend says on any machine, with cards and without. */
class IbverbsBackendTest {

  @Test
  void isFoundByItsName() {
    assertThat(ServiceLoader.load(Backend.class))
        .filteredOn(each -> each.name().equals("ibverbs"))
        .hasOnlyElementsOfType(IbverbsBackend.class);
  }

  @Test
  void saysWhatIsMissingAndHowToMendIt() {
    Backend backend = IbverbsBackend.builder().library("libnone-such.so.1").build();
    assertThat(backend.availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            no -> {
              assertThat(no.reason()).contains("libnone-such.so.1");
              assertThat(no.remedy()).contains("libibverbs1").contains("tcp");
            });
  }

  @Test
  void anotherLibraryIsNotTakenForIt() {
    Backend backend = IbverbsBackend.builder().library("libc.so.6").build();
    assertThat(backend.availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            no -> assertThat(no.reason()).contains("ibv_get_device_list"));
  }

  @Test
  void answersOnThisMachine() {
    Backend backend = new IbverbsBackend();
    if (backend.availability() instanceof Availability.Available) {
      assertThat(backend.nics()).isNotEmpty();
      assertThat(backend.remarks()).isNotEmpty();
    }
  }

  @Test
  void settingsOutOfTheirRangeAreRefused() {
    IbverbsBackend.Builder builder = IbverbsBackend.builder();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.gidIndex(-1))
        .withMessage("expected a GID index of 0 to 255, got -1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> builder.devices("mlx5_0", "mlx5_1@"))
        .withMessageEndingWith("such as mlx5_0@10.0.0.7, got mlx5_1@");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> IbverbsBackend.builder().retries(7).build())
        .withMessage("expected 0 to 6 retries, got 7");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> IbverbsBackend.builder().serviceLevel(16).build())
        .withMessage("expected a service level of 0 to 15, got 16");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> IbverbsBackend.builder().trafficClass(-1).build())
        .withMessage("expected a traffic class of 0 to 255, got -1");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> IbverbsBackend.builder().ackTimeout(Duration.ZERO).build())
        .withMessageContaining("timeout of more than 0");
  }
}
