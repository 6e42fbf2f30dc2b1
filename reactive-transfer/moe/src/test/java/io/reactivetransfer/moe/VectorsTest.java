package io.reactivetransfer.moe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.tck.process.JavaProcess;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When sums are taken by vectors. */
class VectorsTest {

  private static final String BOTH_COMPILERS = "-XX:TieredStopAtLevel=4";
  private static final String MODULE = "--add-modules=jdk.incubator.vector";

  @Test
  void thePropertyIsAutoOrOff() {
    assertThat(Vectors.isWanted("auto")).isTrue();
    assertThat(Vectors.isWanted("off")).isFalse();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Vectors.isWanted("on"))
        .withMessage("expected auto or off for reactivetransfer.vectors, got 'on'");
  }

  @Test
  void aNodeIsNotOpenedWithAnotherValue() {
    try (Cluster cluster = Cluster.loopback(1)) {
      String before = System.setProperty(Vectors.PROPERTY, "on");
      try {
        assertThatIllegalArgumentException()
            .isThrownBy(() -> MoeNode.open(cluster.engines.get(0)))
            .withMessageContaining("'on'");
      } finally {
        if (before == null) {
          System.clearProperty(Vectors.PROPERTY);
        } else {
          System.setProperty(Vectors.PROPERTY, before);
        }
      }
    }
  }

  /** As HotSpot describes itself. */
  @Test
  void withoutTheSecondCompilerTheyAreNot() {
    assertThat(Vectors.hasSecondCompiler("mixed mode, sharing")).isTrue();
    assertThat(Vectors.hasSecondCompiler("mixed mode, emulated-client, sharing")).isFalse();
    assertThat(Vectors.hasSecondCompiler("interpreted mode, sharing")).isFalse();
  }

  /** What the compiler has not inlined makes objects of vectors, and is slower. */
  @Test
  void withTheModuleTheyAreWhenTheyAreCompiledAndNoneIsAnObject() throws Exception {
    assertThat(output(BOTH_COMPILERS, MODULE).lines())
        .containsExactly(
            "fast", "BF16 to BF16: nothing", "BF16 to FP32: nothing", "FP32 to FP32: nothing");
  }

  @Test
  void withoutTheModuleTheyAreNot() throws Exception {
    assertThat(output(BOTH_COMPILERS)).contains("not there");
  }

  @Test
  void norIfTheyAreOff() throws Exception {
    assertThat(output(BOTH_COMPILERS, MODULE, "-Dreactivetransfer.vectors=off"))
        .contains("not there");
  }

  private static String output(String... options) throws Exception {
    try (JavaProcess program =
        JavaProcess.start(JavaProcess.command(List.of(options), VectorProgram.class.getName()))) {
      assertThat(program.exitCode()).as(program::stderr).isZero();
      return program.stdout();
    }
  }
}
