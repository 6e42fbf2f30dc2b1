package io.reactivetransfer.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A write over tcp makes no garbage on the threads of the NICs, from GPU to GPU and from host to
 * host, in a process of its own: Netty makes some for each buffer where it has no Unsafe, and what
 * its detector of leaks looks at. It also makes four objects of 16 bytes each time when a socket is
 * full, which happens more than once in a longer write.
 */
class TcpAllocationTest {

  @RegisterExtension private final Gpus gpus = new Gpus();

  /**
   * Less than one object for each write, or for each piece of a longer one, would take.
   *
   * <p>A usual build has LongWriteAllocationTest of tcp, and CopyAllocationTest.
   */
  @Tag("nightly")
  @ParameterizedTest
  @CsvSource({
    "gpu, 65536, 512, 12",
    "gpu, 1048576, 64, 72",
    "gpu, 16777216, 8, 1000",
    "host, 65536, 512, 12",
    "host, 1048576, 64, 72",
    "host, 16777216, 8, 1000"
  })
  void aWriteAllocatesNothing(String where, int bytes, int writes, int most) throws Exception {
    ProcessBuilder command =
        JavaProcess.command(
            List.of(
                "--sun-misc-unsafe-memory-access=allow", "-Dio.netty.leakDetection.level=disabled"),
            TcpAllocationProgram.class.getName(),
            where,
            String.valueOf(bytes),
            String.valueOf(writes),
            String.valueOf(most));
    gpus.useIn(command);
    try (JavaProcess process = JavaProcess.start(command)) {
      int allocated = Integer.parseInt(process.awaitLine("bytes for each write: (\\d+)").group(1));
      assertThat(allocated).as("bytes for each write").isLessThan(most);
    }
  }
}
