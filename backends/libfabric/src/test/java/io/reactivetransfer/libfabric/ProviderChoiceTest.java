package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.Nic;
import io.reactivetransfer.libfabric.ProviderChoice.Refused;
import io.reactivetransfer.libfabric.ffi.Fi;
import io.reactivetransfer.libfabric.ffi.FiInfo;
import io.reactivetransfer.libfabric.ffi.ScriptedLibFabric;
import io.reactivetransfer.libfabric.ffi.ScriptedLibFabric.Card;
import io.reactivetransfer.spi.BackendException;
import java.lang.foreign.Arena;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProviderChoiceTest {

  private static final int V1_17 = 1 << 16 | 17;
  private static final int V2_0 = 2 << 16;

  private final Arena arena = Arena.ofConfined();

  @AfterEach
  void freeTheLists() {
    arena.close();
  }

  private static LibfabricSettings settings(String... provider) {
    Optional<String> named = Optional.of(provider).filter(p -> p.length > 0).map(p -> p[0]);
    return new LibfabricSettings("a library", named, "10.1.2.3", 1);
  }

  private static Card good(String provider, String domain) {
    return new Card(provider, domain, 8, 4);
  }

  private ScriptedLibFabric library(int version) {
    return new ScriptedLibFabric(arena, version);
  }

  private static String refusal(ScriptedLibFabric library, String... provider) {
    try {
      ProviderChoice.choose(library.lib(), settings(provider));
    } catch (BackendException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("expected a refusal");
  }

  @Test
  void theBestOneThatHasANicIsTakenAndTheOthersAreNamed() {
    ScriptedLibFabric library =
        library(V1_17)
            .fails("efa", Fi.FI_ENOMEM)
            .has("tcp", good("tcp;ofi_rxm", "eth0"))
            .has("shm", good("shm", "shm"));
    ProviderChoice choice = ProviderChoice.choose(library.lib(), settings());
    assertThat(choice.provider().name()).isEqualTo("tcp;ofi_rxm");
    assertThat(library.asked()).startsWith("efa", "verbs;ofi_rxm", "tcp");
    assertThat(choice.refused())
        .containsExactly(
            new Refused("efa", "fi_getinfo: error 12 (12)"),
            new Refused("verbs;ofi_rxm", "it has no NIC here with the address 10.1.2.3"),
            new Refused(
                "shm",
                "before libfabric 2.0 a process hangs for ever when its peer dies; it has 1.17"));
  }

  @Test
  void whereNothingCanBeUsedEachIsNamedWithItsReason() {
    Card withoutImms = new Card("efa", "rdmap0", 0, 4);
    Card withoutMemory = new Card("verbs;ofi_rxm", "mlx5_0", 8, 0);
    assertThat(refusal(library(V2_0).has("efa", withoutImms).has("verbs;ofi_rxm", withoutMemory)))
        .isEqualTo(
            "no provider can be used: efa: expected immediates of 4 bytes or more, got 0;"
                + " verbs;ofi_rxm: expected writes of one part of memory or more, got at most 0"
                + " here and 0 at the target; tcp: it has no NIC here with the address 10.1.2.3");
  }

  @Test
  void aCardIsOpenedSoThatItReachesAcceleratorsIfItDoes() {
    ScriptedLibFabric scripted =
        library(V2_0)
            .has("efa", good("efa", "rdmap0"), good("efa", "rdmap1"))
            .reachesDevices("rdmap1");
    FabricLibrary library = new FabricLibrary("scripted", scripted.lib());
    ProviderChoice choice = library.choose(settings());
    for (int i = 0; i < 2; i++) {
      FiInfo without = choice.infos().getFirst();
      assertThat(library.forDevices(settings(), choice, without)).isSameAs(without);
      FiInfo with = library.forDevices(settings(), choice, choice.infos().getLast());
      assertThat(with.domain()).isEqualTo("rdmap1");
      assertThat(with.reachesDevices()).isTrue();
    }
    assertThat(scripted.askedForDevices()).as("times that the provider was asked").isOne();
    assertThat(choice.infos()).noneMatch(FiInfo::reachesDevices);
  }

  @Test
  void whereNoneDoesTheyAreOpenedAsEver() {
    ScriptedLibFabric scripted = library(V2_0).has("efa", good("efa", "rdmap0"));
    FabricLibrary library = new FabricLibrary("scripted", scripted.lib());
    ProviderChoice choice = library.choose(settings());
    FiInfo only = choice.infos().getFirst();
    assertThat(library.forDevices(settings(), choice, only)).isSameAs(only);
    assertThat(scripted.askedForDevices()).isOne();
  }

  /** It would copy, on the NIC's thread, which is done better here. */
  @Test
  void softwareIsNotAsked() {
    ScriptedLibFabric scripted = library(V2_0).has("shm", good("shm", "shm")).reachesDevices("shm");
    FabricLibrary library = new FabricLibrary("scripted", scripted.lib());
    ProviderChoice choice = library.choose(settings("shm"));
    FiInfo only = choice.infos().getFirst();
    assertThat(library.forDevices(settings("shm"), choice, only)).isSameAs(only);
    assertThat(scripted.askedForDevices()).isZero();
  }

  @Test
  void theOneThatIsNamedIsTheOnlyOneAskedFor() {
    ScriptedLibFabric library = library(V2_0).has("tcp", good("tcp", "eth0"));
    assertThat(refusal(library, "psm3"))
        .isEqualTo("no provider can be used: psm3: it has no NIC here");
    assertThat(library.asked()).containsExactly("psm3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tcp", "tcp;ofi_rxm"})
  void whoseConnectionsAreMadeHereIsAskedForThemBelowTheLayer(String name) {
    Card layered = good("tcp;ofi_rxm", "eth0");
    ScriptedLibFabric library =
        library(V1_17).has("tcp;ofi_rxm", layered).has("tcp", layered, good("tcp", "eth0"));
    ProviderChoice choice = ProviderChoice.choose(library.lib(), settings(name));
    assertThat(choice.provider().name()).isEqualTo("tcp;ofi_rxm");
    assertThat(choice.infos()).hasSize(1);
    assertThat(library.asked()).containsExactly(name, "tcp");
  }

  @Test
  void sharedMemoryNeedsTheSecondVersion() {
    Card shm = good("shm", "shm");
    assertThat(refusal(library(V1_17).has("shm", shm), "shm"))
        .contains("shm: before libfabric 2.0", "its peer dies", "it has 1.17");
    ProviderChoice choice =
        ProviderChoice.choose(library(V2_0).has("shm", shm).lib(), settings("shm"));
    assertThat(choice.provider().shortcomings()).isNotEmpty();
  }

  @Test
  void cardsOfEfaNeedTheVersionThatLetsThemWrite() {
    Card efa = good("efa", "rdmap0");
    assertThat(refusal(library(V1_17).has("efa", efa), "efa"))
        .contains("efa: before libfabric 1.18", "it has 1.17");
    ProviderChoice choice =
        ProviderChoice.choose(library(V2_0).has("efa", efa).lib(), settings("efa"));
    assertThat(choice.provider().apiVersion(V2_0)).isEqualTo(1 << 16 | 18);
    assertThat(choice.provider().wasRun()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "net, crashes",
    "net;ofi_rxm, crashes",
    "sockets, look like arrivals",
    "udp;ofi_rxd, time out",
    "udp, time out"
  })
  void whatDoesNotWorkIsRefusedByItsName(String provider, String reason) {
    assertThat(refusal(library(V2_0).has(provider, good(provider, "eth0")), provider))
        .contains(provider + ": ", reason);
    // under 1.17, who asks for tcp may be given net
    assertThat(refusal(library(V1_17).has("tcp", good(provider, "eth0")), "tcp")).contains(reason);
  }

  @Test
  void aNicThatIsListedTwiceIsOne() {
    ProviderChoice choice =
        ProviderChoice.choose(
            library(V2_0)
                .has(
                    "efa",
                    good("efa", "rdmap0"),
                    good("efa", "rdmap1"),
                    good("efa", "rdmap0"),
                    good("efa-direct", "rdmap2"))
                .lib(),
            settings());
    assertThat(choice.infos().stream().map(FiInfo::domain)).containsExactly("rdmap0", "rdmap1");
    assertThat(choice.isSoftware()).isFalse();
    assertThat(choice.infoOf(choice.nic(1)).domain()).isEqualTo("rdmap1");
  }

  @Test
  void softwareHasAsManyNicsAsAreWanted() {
    ProviderChoice choice =
        ProviderChoice.choose(
            library(V2_0).has("tcp", good("tcp", "eth0"), good("tcp", "eth1")).lib(), settings());
    assertThat(choice.nic(0).name()).isEqualTo("tcp-0");
    assertThat(choice.nic(7).name()).isEqualTo("tcp-7");
    assertThat(choice.infoOf(choice.nic(7)).domain()).isEqualTo("eth1");
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> choice.infoOf(Nic.named("tcp-8")))
        .withMessage("expected a NIC of provider tcp, got tcp-8");
  }
}
