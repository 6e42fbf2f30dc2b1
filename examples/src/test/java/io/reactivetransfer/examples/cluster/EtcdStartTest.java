package io.reactivetransfer.examples.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An etcd that does not start. */
class EtcdStartTest {

  @TempDir Path folder;

  @Test
  void whyItHasEndedIsSaid() throws IOException {
    Path program = folder.resolve("etcd");
    Files.writeString(program, "#!/bin/sh\necho flag provided but not defined: -logger\nexit 2\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
    assertThatThrownBy(() -> Etcd.open(program.toString()))
        .isInstanceOf(IOException.class)
        .hasMessage("etcd ended with exit code 2, and said: flag provided but not defined: -logger")
        .satisfies(failure -> assertThat(failure.getSuppressed()).isEmpty());
  }
}
