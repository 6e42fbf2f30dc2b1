package io.reactivetransfer.examples.jlama;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlatformTest {

  @Test
  void linuxOnX86WithVectorsIsOne() {
    assertThat(Platform.objection("Linux", "amd64", true)).isNull();
  }

  @ParameterizedTest
  @CsvSource({"Linux, aarch64", "Mac OS X, aarch64", "Mac OS X, x86_64", "Windows 11, amd64"})
  void othersAreToldPlainly(String system, String machine) {
    assertThat(Platform.objection(system, machine, true))
        .contains("does not run here", "Linux on x86-64", system, machine);
  }

  @Test
  void aMissingModuleIsNamed() {
    assertThat(Platform.objection("Linux", "amd64", false))
        .contains("--add-modules jdk.incubator.vector");
  }
}
