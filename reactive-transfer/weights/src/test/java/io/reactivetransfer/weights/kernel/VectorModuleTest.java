package io.reactivetransfer.weights.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** With the module of vectors and without it, each in a process of its own. */
class VectorModuleTest {

  @Test
  void theTestsOfVectorsHaveTheirModule() {
    assertThat(ModuleLayer.boot().findModule("jdk.incubator.vector")).isPresent();
  }

  @Test
  void withoutTheModuleNoClassThatNeedsItIsLoaded() throws Exception {
    try (JavaProcess process = start(List.of("-XX:TieredStopAtLevel=4", "-Xlog:class+load"))) {
      assertThat(process.exitCode()).as(process.stderr()).isZero();
      assertThat(process.stdout())
          .contains("kernel.Vectors ", "vectors false")
          .doesNotContain("VectorTile", "VectorLanes", "incubator");
    }
  }

  @Test
  @Tag("merge")
  void withTheModuleVectorsTakeOverOnceTheyAreFaster() throws Exception {
    List<String> options = List.of("-XX:TieredStopAtLevel=4", "--add-modules=jdk.incubator.vector");
    try (JavaProcess process = start(options, "wait")) {
      process.awaitLine("vectors false");
      process.awaitLine("the same true");
    }
  }

  private static JavaProcess start(List<String> options, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(options);
    all.add("--sun-misc-unsafe-memory-access=allow");
    return JavaProcess.start(JavaProcess.command(all, PrepareProgram.class.getName(), arguments));
  }
}
