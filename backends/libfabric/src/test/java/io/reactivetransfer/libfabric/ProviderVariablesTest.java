package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProviderVariablesTest {

  private static Optional<String> refusal(String provider, Map<String, String> environment) {
    return ProviderVariables.refusal(provider, name -> Optional.ofNullable(environment.get(name)));
  }

  @ParameterizedTest
  @CsvSource({
    "tcp, FI_TCP_IO_URING, 1",
    "tcp, FI_TCP_IO_URING, yes",
    "tcp;ofi_rxm, FI_TCP_IO_URING, True",
    "tcp, FI_TCP_ZEROCOPY_SIZE, 0",
    "tcp;ofi_rxm, FI_TCP_ZEROCOPY_SIZE, 65536",
    "efa, FI_EFA_ENABLE_SHM_TRANSFER, 1",
    "verbs;ofi_rxm, FI_MR_CACHE_MAX_COUNT, 1024"
  })
  void whatCannotBeEndedIsRefusedByItsName(String provider, String variable, String value) {
    assertThat(refusal(provider, Map.of(variable, value)).orElseThrow())
        .startsWith("the process has " + variable + "=" + value)
        .contains("set it to");
    assertThat(refusal("opx", Map.of(variable, value))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "tcp, FI_TCP_IO_URING, 0",
    "tcp, FI_TCP_IO_URING, Off",
    "tcp;ofi_rxm, FI_TCP_ZEROCOPY_SIZE, -1",
    "efa, FI_EFA_ENABLE_SHM_TRANSFER, 0",
    "verbs;ofi_rxm, FI_MR_CACHE_MAX_COUNT, 0"
  })
  void whatIsOffIsNot(String provider, String variable, String value) {
    assertThat(refusal(provider, Map.of(variable, value))).isEmpty();
  }

  @Test
  void whatIsSetHereIsOff() {
    for (String provider : new String[] {"tcp", "tcp;ofi_rxm", "efa", "verbs;ofi_rxm"}) {
      assertThat(refusal(provider, ProviderVariables.OFF)).isEmpty();
      assertThat(refusal(provider, Map.of())).isEmpty();
    }
  }
}
