package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** What lies in the folder for temporary files, to which others may write, is not loaded. */
class JCudaNativesTest {

  private static final String NAME = "libJCudaDriver-12.6.0-linux-x86_64.so";

  @RegisterExtension private final Gpus gpus = new Gpus();

  @TempDir private Path folder;

  private byte[] original;

  /** What lies there under the name by which JCuda looks for it. */
  enum Planted {
    TEXT {
      @Override
      byte[] of(byte[] original) {
        return "not a library".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
      }
    },

    /** As it is while another process writes it: to call into what is not there yet ends a JVM. */
    HALF {
      @Override
      byte[] of(byte[] original) {
        return Arrays.copyOf(original, original.length / 2);
      }
    };

    abstract byte[] of(byte[] original);
  }

  @BeforeEach
  void read() throws IOException {
    try (InputStream in = JCudaNativesTest.class.getResourceAsStream("/lib/" + NAME)) {
      original = Objects.requireNonNull(in).readAllBytes();
    }
  }

  private JavaProcess start(String how) throws IOException {
    ProcessBuilder command =
        JavaProcess.command(
            List.of("-Djava.io.tmpdir=" + folder, "-XX:-CreateCoredumpOnCrash"),
            NativesProgram.class.getName(),
            how);
    command.directory(folder.toFile()); // for what a JVM leaves that ends there
    gpus.driver().useIn(command);
    return JavaProcess.start(command);
  }

  private List<String> left() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).filter(this::isOurs).toList();
    }
  }

  /** The JVM leaves its own, such as the counters that tools read. */
  private boolean isOurs(String name) {
    return name.startsWith("lib") || name.startsWith("reactive-transfer");
  }

  @Test
  void whatOthersHavePlantedIsNotLoaded() throws Exception {
    expectNotLoaded(Planted.HALF);
  }

  private void expectNotLoaded(Planted planted) throws Exception {
    byte[] bytes = planted.of(original);
    Files.write(folder.resolve(NAME), bytes);
    try (JavaProcess process = start("safely")) {
      assertThat(process.exitCode()).as(process.stderr()).isZero();
      assertThat(process.stdout()).contains("Available").contains("folder stayed: true");
    }
    assertThat(Files.readAllBytes(folder.resolve(NAME))).isEqualTo(bytes);
    assertThat(left()).containsExactly(NAME);
  }

  /** Or else the test above would show nothing: the name might be another one. */
  @Test
  void byItselfJCudaLoadsIt() throws Exception {
    expectLoadedByJCuda(Planted.HALF);
  }

  /** In a usual build half a library shows it, which does more harm than text. */
  @Tag("nightly")
  @Test
  void soItIsOfText() throws Exception {
    expectNotLoaded(Planted.TEXT);
    expectLoadedByJCuda(Planted.TEXT);
  }

  private void expectLoadedByJCuda(Planted planted) throws Exception {
    Files.write(folder.resolve(NAME), planted.of(original));
    try (JavaProcess process = start("alone")) {
      assertThat(process.exitCode()).isNotZero();
    }
  }

  /** In a usual build nothing is left beside what others have planted. */
  @Tag("nightly")
  @Test
  void nothingIsLeftOfWhatWasUnpacked() throws Exception {
    try (JavaProcess process = start("safely")) {
      assertThat(process.exitCode()).as(process.stderr()).isZero();
      assertThat(process.stdout()).contains("Available");
    }
    assertThat(left()).isEmpty();
  }
}
