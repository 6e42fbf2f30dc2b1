package io.reactivetransfer.examples.moe;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.examples.GpuProgram;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The program with tokens, results and sums in the memory of a GPU, which is the fake's. */
@Timeout(170)
class MoeOnGpuTest {

  @Test
  void tokensGoFromGpuToGpu() throws Exception {
    steps("loopback", "cuda", "cuda:0", 3);
  }

  // In a usual build tokens go to a GPU in one process, and pages of a KV cache over tcp.
  @Tag("nightly")
  @Test
  void tokensGoFromGpuToGpuOverTcp() throws Exception {
    steps("tcp", "cuda:1", "cuda:1", 2);
  }

  private void steps(String backend, String device, String named, int ranks) throws Exception {
    assertThat(
            GpuProgram.output(
                "moe",
                "--backend=" + backend,
                "--device=" + device,
                "--fake-cuda",
                "--ranks=" + ranks,
                "--tokens=20",
                "--experts=10",
                "--top-k=3",
                "--hidden=300",
                "--steps=7",
                "--warmup=1",
                "--host-work"))
        .contains(named + " on all ranks: A FAKE OF THE DRIVER, NO GPU")
        .containsPattern("verified +the sums of [0-9]+ tokens in 4 steps, next to a reference")
        .containsPattern("p50/p99, us +enqueue +hand-over");
  }

  @Test
  void whatNeedsTheHostsMemoryIsRefused() {
    assertThat(GpuProgram.refusal("moe", "--device=cuda", "--reference"))
        .contains("expected --reference in the host's memory, got --device cuda:0");
    assertThat(GpuProgram.refusal("moe", "--fake-cuda"))
        .contains("expected --fake-cuda with --device cuda, got it alone");
  }
}
