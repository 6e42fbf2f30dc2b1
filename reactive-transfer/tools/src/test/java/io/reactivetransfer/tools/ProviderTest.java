package io.reactivetransfer.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ProviderTest {

  @AfterEach
  void forget() {
    System.clearProperty(Provider.PROPERTY);
  }

  @Test
  void theBackendIsToldByAProperty() {
    Provider.use(Provider.of("libfabric", "tcp"));
    assertThat(System.getProperty(Provider.PROPERTY)).isEqualTo("tcp");
  }

  @Test
  void withoutOneTheChoiceIsTheBackends() {
    Provider.use(Provider.of("libfabric", null));
    assertThat(System.getProperty(Provider.PROPERTY)).isNull();
    assertThat(Provider.of("tcp", null)).isNull();
  }

  @Test
  void otherBackendsHaveNone() {
    assertThatThrownBy(() -> Provider.of("loopback", "tcp"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("--backend libfabric only, got --backend loopback");
  }

  @Test
  void aBlankIsNoName() {
    assertThatThrownBy(() -> Provider.of("libfabric", " "))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("fi_info");
  }

  @Test
  void peopleSeeBoth() {
    assertThat(Provider.carrier("libfabric", "shm")).isEqualTo("libfabric (shm)");
    assertThat(Provider.carrier("tcp", null)).isEqualTo("tcp");
  }
}
