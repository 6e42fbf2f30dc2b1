package io.reactivetransfer.ffm;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** What a JVM that was started with other options says. */
@EnabledOnOs(OS.LINUX)
class NativeAccessTest {

  @Test
  void aDeniedJvmNamesTheFlag() throws IOException {
    assertThat(ask("--illegal-native-access=deny"))
        .hasSize(2)
        .allMatch(line -> line.contains("this JVM denies native access"))
        .allMatch(line -> line.contains("--enable-native-access=ALL-UNNAMED"));
  }

  @Test
  void thatFlagMendsIt() throws IOException {
    assertThat(ask("--illegal-native-access=deny", "--enable-native-access=ALL-UNNAMED"))
        .containsExactly("Available[]");
  }

  private static String[] ask(String... options) throws IOException {
    ProcessBuilder builder = new ProcessBuilder();
    builder.command().add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    builder.command().addAll(List.of(options));
    builder.command().add("-cp");
    builder.command().add(System.getProperty("java.class.path"));
    builder.command().add(LinuxCpuPinningTest.Asker.class.getName());
    Process jvm = builder.redirectError(ProcessBuilder.Redirect.INHERIT).start();
    return new String(jvm.getInputStream().readAllBytes(), UTF_8).lines().toArray(String[]::new);
  }
}
