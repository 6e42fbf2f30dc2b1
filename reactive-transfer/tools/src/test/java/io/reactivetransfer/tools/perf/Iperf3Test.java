package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a program that stands for iperf3: it need not be installed. */
class Iperf3Test {

  @TempDir private Path folder;

  private Iperf3 saying(String text) throws Exception {
    Path program = Files.writeString(folder.resolve("iperf3"), "#!/bin/sh\necho '" + text + "'\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    Iperf3 found = Iperf3.find("/no/such/folder:" + folder);
    assertThat(found).isNotNull();
    return found;
  }

  @Test
  void whatTheReceiverGotIsTheFigure() throws Exception {
    Iperf3 iperf3 =
        saying(
            "{ \"end\": { \"sum_sent\": { \"bits_per_second\": 9.0 },"
                + " \"sum_received\": { \"bytes\": 1, \"bits_per_second\": 1.6e+10 } } }");
    assertThat(iperf3.bytesPerSecond(4096)).isEqualTo(2e9);
  }

  @Test
  void withoutAFigureItSaysWhatTheProgramSaid() throws Exception {
    Iperf3 iperf3 = saying("unable to create a new stream");
    assertThatThrownBy(() -> iperf3.bytesPerSecond(4096))
        .isInstanceOf(SideFailedException.class)
        .hasMessageContaining("unable to create a new stream");
  }

  @Test
  void itNeedNotBeThere() {
    assertThat(Iperf3.find(folder.toString())).isNull();
  }
}
