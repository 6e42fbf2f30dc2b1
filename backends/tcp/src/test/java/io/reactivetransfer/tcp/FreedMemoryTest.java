package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import io.reactivetransfer.control.Transport;
import io.reactivetransfer.tck.process.JavaProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Memory that the application frees although it is registered: a mistake that must not end the
 * process, nor have anything sent or reported as done that nobody wrote.
 */
// A usual build has memory that is freed under a region by the kit, and files by CutOffFileTest.
@Tag("merge")
class FreedMemoryTest {

  private static List<String> transports() {
    List<Transport> transports =
        Epoll.isAvailable() ? List.of(Transport.NIO, Transport.EPOLL) : List.of(Transport.NIO);
    return transports.stream().map(Transport::name).toList();
  }

  @Test
  void failsItsWrites() throws IOException, InterruptedException {
    run("deny");
  }

  /**
   * Netty goes by Unsafe, where it may, and does not check what that touches. In a usual build it
   * goes without, as it does by itself on this JDK.
   */
  @Test
  @Tag("nightly")
  void failsItsWritesWithUnsafe() throws IOException, InterruptedException {
    run("allow");
  }

  private static void run(String unsafe) throws IOException, InterruptedException {
    String[] transports = transports().toArray(String[]::new);
    List<String> options =
        List.of(
            "-XX:+UseSerialGC",
            "--sun-misc-unsafe-memory-access=" + unsafe,
            "-XX:-CreateCoredumpOnCrash",
            "-XX:ErrorFile=/dev/null");
    Process process =
        JavaProcess.command(options, FreedMemoryProgram.class.getName(), transports)
            .redirectErrorStream(true)
            .start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said).contains(transports);
  }
}
