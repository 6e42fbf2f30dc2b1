package io.reactivetransfer.tools;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.spi.Backend;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A backend that cannot be loaded is on the class path, and keeps nobody from using another. */
class BackendsTest {

  @TempDir private Path folder;

  private final ClassLoader before = Thread.currentThread().getContextClassLoader();

  @BeforeEach
  void put() throws Exception {
    Path services = Files.createDirectories(folder.resolve("META-INF/services"));
    Files.writeString(services.resolve(Backend.class.getName()), "no.such.Backend");
    URL[] path = {folder.toUri().toURL()};
    Thread.currentThread().setContextClassLoader(new URLClassLoader(path, before));
  }

  @AfterEach
  void takeAway() throws Exception {
    if (Thread.currentThread().getContextClassLoader() instanceof URLClassLoader mine) {
      Thread.currentThread().setContextClassLoader(before);
      mine.close();
    }
  }

  @Test
  void anotherOneIsFound() {
    assertThatCode(() -> Backends.requireAvailable("tcp", 1)).doesNotThrowAnyException();
  }

  /** No machine has that address, so what is said is that, or that the backend cannot run here. */
  @ParameterizedTest
  @ValueSource(strings = {"tcp", "libfabric", "ibverbs"})
  void noSecretIsAskedForWhereOthersCanConnect(String name) {
    assertThatThrownBy(() -> Backends.engine(name, "203.0.113.77").open().block())
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageNotContaining("secret");
  }

  @Test
  void andStillAsked() {
    assertThatThrownBy(() -> Backends.requireAvailable("tcp", 1_000_000))
        .isInstanceOf(BackendUnavailableException.class)
        .hasMessageContaining("--nics");
  }
}
