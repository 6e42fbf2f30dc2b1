package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@EnabledOnOs(OS.LINUX)
class LibfabricBackendTest {

  @Test
  void withoutTheLibraryItSaysWhatIsMissingAndWhatToDo() {
    LibfabricBackend backend = LibfabricBackend.builder().library("libnothing.so").build();
    Availability availability = backend.availability();
    assertThat(availability).isInstanceOf(Availability.Unavailable.class);
    Availability.Unavailable missing = (Availability.Unavailable) availability;
    assertThat(missing.reason())
        .contains("cannot load libnothing.so: ", "No such file or directory");
    assertThat(missing.remedy())
        .contains("install libfabric 1.17 or later", "reactivetransfer.libfabric.library");
  }

  @Test
  void aProviderThatIsNotThereIsNamed() {
    InstalledLibrary.with("tcp");
    Availability availability =
        LibfabricBackend.builder().provider("nothing").build().availability();
    assertThat(availability).isInstanceOf(Availability.Unavailable.class);
    assertThat(((Availability.Unavailable) availability).reason())
        .isEqualTo("no provider can be used: nothing: it has no NIC here");
    assertThat(((Availability.Unavailable) availability).remedy())
        .contains("nothing", "fi_info -l", "LibfabricBackend.builder().provider()")
        .doesNotContain("install libfabric 1.17 or later");
  }

  @Test
  void whereTheHostIsNotOfThisMachineNoNicOpens() {
    InstalledLibrary.with("tcp");
    LibfabricBackend backend =
        LibfabricBackend.builder().provider("tcp").host("192.0.2.1").withoutSecret().build();
    assertThatExceptionOfType(CompletionException.class)
        .isThrownBy(() ->
            backend
                .open(
                    backend.nics(1).getFirst(), InstalledLibrary.context(1, Duration.ofSeconds(1)))
                .toCompletableFuture()
                .join())
        .withCauseInstanceOf(BackendException.class)
        .havingCause()
        .withMessageContaining("192.0.2.1 is no address of this machine")
        .withMessageContaining("LibfabricBackend.builder().host()");
  }

  @Test
  void thereAreOneToEightNics() {
    for (int count : new int[] {0, 9}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> LibfabricBackend.builder().nics(count))
          .withMessage("expected nics of 1 to 8, got " + count);
    }
    InstalledLibrary.with("tcp");
    LibfabricBackend backend = LibfabricBackend.builder().provider("tcp").nics(3).build();
    assertThat(backend.nics()).hasSize(3).extracting(Nic::name).doesNotHaveDuplicates();
    assertThat(backend.nics(8)).hasSize(8);
    assertThatExceptionOfType(BackendException.class)
        .isThrownBy(() -> backend.nics(9))
        .withMessageContaining("expected 1 to 8 NICs of provider tcp");
  }

  @Test
  void itsRemarksNameLibraryAndProvider() {
    InstalledLibrary.with("tcp");
    assertThat(LibfabricBackend.builder().provider("tcp").build().remarks().getFirst())
        .contains("libfabric ", "provider tcp", "a write is done when");
  }
}
