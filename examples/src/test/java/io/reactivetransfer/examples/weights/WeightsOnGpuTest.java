package io.reactivetransfer.examples.weights;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.GpuProgram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The program with weights in the memory of a GPU, which is the fake's. */
@Timeout(170)
class WeightsOnGpuTest {

  @Test
  void weightsGoFromGpuToGpu() throws Exception {
    update("loopback", "cuda", "cuda:0", "fsdp=2", "tp=3,dtype=fp8", "outlive");
  }

  // In a usual build weights go to a GPU in one process, and pages of a KV cache over tcp.
  @Tag("nightly")
  @Test
  void weightsGoFromGpuToGpuInPlaceAndOverTcp() throws Exception {
    update("tcp", "cuda:1", "cuda:1", "fsdp=2", "tp=1,dtype=bf16", "in-place");
  }

  private void update(
      String backend, String device, String named, String from, String to, String mode)
      throws Exception {
    assertThat(
            GpuProgram.output(
                "weights",
                "--backend=" + backend,
                "--device=" + device,
                "--fake-cuda",
                "--size=600KiB",
                "--updates=2",
                "--checksums=all",
                "--from=" + from,
                "--to=" + to,
                "--mode=" + mode))
        .contains(named + " on both sides: A FAKE OF THE DRIVER, NO GPU")
        .containsPattern("verified +[0-9,]+ bytes of [0-9] ranks behind each of 2 updates");
  }

  @Test
  void whatNeedsTheHostsMemoryIsRefused() {
    assertThat(GpuProgram.refusal("weights", "--device=cuda", "--reference"))
        .contains("expected --reference in the host's memory, got --device cuda:0");
    assertThat(GpuProgram.refusal("weights", "--fake-cuda"))
        .contains("expected --fake-cuda with --device cuda, got it alone");
  }
}
