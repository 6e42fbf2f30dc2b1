package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What the doctor says of two GPUs, which are the fake's, and of the NICs that are always here. */
class DoctorOnGpusTest {

  @Test
  void saysHowBytesGetFromEachGpuToEachNic() throws Exception {
    ExampleRun program = GpuProgram.run("doctor");
    assertThat(program.code()).as(program::toString).isZero();
    assertThat(program.stdout())
        .contains("PCI 0000:10:00.0", "PCI 0000:11:00.0")
        .containsPattern("cuda:0 +tcp tcp0: staged through the host, distance unknown\\n")
        .containsPattern("cuda:0 +tcp tcp1: staged through the host, distance unknown\\n")
        .containsPattern("cuda:1 +tcp tcp0: staged through the host, distance unknown\\n")
        .containsPattern("cuda:1 +loopback loopback0: staged through the host, distance unknown\\n")
        .doesNotContain("warning: n");
  }
}
