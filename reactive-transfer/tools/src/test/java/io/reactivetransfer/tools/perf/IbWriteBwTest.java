package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With a program that stands for it: neither it nor a device need be there. */
class IbWriteBwTest {

  private static final long TWO_SECONDS = 2_000_000_000L;

  @TempDir private Path folder;

  /** Its server waits until it is ended, and its client, which names a host, says this. */
  private IbWriteBw saying(String row, int outstanding) throws Exception {
    Path program = folder.resolve("ib_write_bw");
    Files.writeString(
        program,
        """
        #!/bin/sh
        case "$*" in
          *127.0.0.1) echo "$*" >> %s/clients; printf '%%s\\n' '%s';;
          *) echo "$*" > %s/server; exec sleep 60;;
        esac
        """
            .formatted(folder, row, folder));
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
    return IbWriteBw.find("/no/such/folder:" + folder, "mlx5_0/2", outstanding);
  }

  private static Layout of(long size) {
    return Layout.of(Plans.oneSize(false), size);
  }

  @Test
  void ofShortWritesItCountsOperations() throws Exception {
    try (IbWriteBw it =
        saying(" 64         94144            0.00               1.43   \t\t   0.023511", 64)) {
      it.prepare(of(64));
      RunFigures run = it.run(TWO_SECONDS);
      assertThat(run.operations()).isEqualTo(47_022);
      assertThat(run.nanos()).isEqualTo(TWO_SECONDS);
    }
    assertThat(folder.resolve("clients"))
        .content()
        .contains("-d mlx5_0 -i 2 -p ")
        .contains("-s 64 -t 64 -Q 16 -D 2 -F 127.0.0.1");
  }

  @Test
  void ofLongOnesItTellsMebibytes() throws Exception {
    try (IbWriteBw it =
        saying(" 1048576    192              0.00               47.50  \t\t   0.000048", 4)) {
      it.prepare(of(1 << 20));
      assertThat(it.run(TWO_SECONDS).operations()).isEqualTo(95);
    }
    assertThat(folder.resolve("clients")).content().contains("-t 4 -Q 1 ");
  }

  @Test
  void withoutFiguresItSaysWhatTheProgramSaid() throws Exception {
    try (IbWriteBw it = saying(" Unable to find the Infiniband/RoCE device", 16)) {
      assertThatThrownBy(() -> it.run(TWO_SECONDS))
          .isInstanceOf(SideFailedException.class)
          .hasMessageContaining("Unable to find the Infiniband/RoCE device");
    }
  }

  @Test
  void whereItIsNotInstalledItSaysHowToGetIt() {
    assertThatThrownBy(() -> IbWriteBw.find(folder.toString(), "mlx5_0", 16))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("apt-get install perftest");
  }
}
