package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Where there is a driver, and no native part of JCuda for this machine: that is said in words, and
 * all else goes on.
 */
class NoNativesTest {

  private static final String NATIVES = "jcuda-natives";

  @RegisterExtension private final Gpus gpus = new Gpus();

  /** As on a machine for which nobody has built them, if they were not asked for. */
  @Test
  void withoutThemNoGpuIsThereAndAllElseGoesOn() throws Exception {
    List<String> all =
        List.of(System.getProperty("java.class.path").split(Pattern.quote(File.pathSeparator)));
    List<String> others = all.stream().filter(each -> !isOfNatives(each)).toList();
    assertThat(others).as("class path without %s", NATIVES).hasSizeLessThan(all.size());
    ProcessBuilder command = JavaProcess.command(List.of(), NoGpuProgram.class.getName());
    command.command(
        command.command().stream()
            .filter(option -> !option.startsWith("-XX:AOTCache="))
            .map(option ->
                option.contains(NATIVES) ? String.join(File.pathSeparator, others) : option)
            .collect(Collectors.toList()));
    assertThat(command.command()).noneMatch(option -> option.contains(NATIVES));
    expectNoGpu(command);
  }

  private static boolean isOfNatives(String element) {
    return Path.of(element).getFileName().toString().startsWith(NATIVES);
  }

  /** In a usual build they are missing, which is the same for who looks for them. */
  @Tag("nightly")
  @Test
  void norIsOneWhereTheyAreOfAnotherProcessor() throws Exception {
    expectNoGpu(JavaProcess.command(List.of("-Dos.arch=aarch64"), NoGpuProgram.class.getName()));
  }

  @Test
  void whereTheJvmDeniesNativeAccessItSaysSo() throws Exception {
    ProcessBuilder command =
        JavaProcess.command(List.of("--illegal-native-access=deny"), NoGpuProgram.class.getName());
    command.command(
        command.command().stream()
            .filter(option -> !option.startsWith("-XX:AOTCache="))
            .filter(option -> !option.startsWith("--enable-native-access="))
            .collect(Collectors.toList()));
    gpus.driver().useIn(command);
    try (JavaProcess process = JavaProcess.start(command)) {
      assertThat(process.exitCode()).as(process::stderr).isZero();
      assertThat(process.stdout().lines())
          .filteredOn(line -> line.startsWith("Unavailable["))
          .as("what is said of GPUs, and of libfabric")
          .hasSize(2)
          .allMatch(line -> line.contains("reason=this JVM denies native access"))
          .allMatch(
              line -> line.contains("remedy=start it with --enable-native-access=ALL-UNNAMED"));
      assertThat(process.stdout())
          .doesNotContain("install")
          .contains("refused: expected a GPU, got none: this JVM denies native access")
          .containsPattern("register: .* where NIC .*not available: this JVM denies native access")
          .contains("written: true");
    }
  }

  private void expectNoGpu(ProcessBuilder command) throws Exception {
    gpus.driver().useIn(command);
    try (JavaProcess process = JavaProcess.start(command)) {
      assertThat(process.exitCode()).as(process::stderr).isZero();
      assertThat(process.stdout())
          .contains("Unavailable[reason=JCuda's native part cannot be loaded: java.lang.Unsat")
          .contains("org.jcuda:jcuda-natives with the classifier linux-x86_64")
          .contains("refused: expected a GPU, got none: JCuda's native part cannot be loaded")
          .containsPattern("register: .* where NIC .*not available: JCuda's native part cannot")
          .contains("watch: expected access to device cuda:0, got none: there is access to ")
          .contains("not available: JCuda's native part cannot be loaded")
          .contains("written: true");
    }
  }
}
