package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StaleShmTest {

  /** Above what Linux gives to processes. */
  private static final int NO_PROCESS = 999_999_999;

  @Test
  void onlyWhatDeadProcessesLeftIsDeleted(@TempDir Path folder) throws IOException {
    long alive = ProcessHandle.current().pid();
    List<String> stale = List.of(NO_PROCESS + ":0:0", NO_PROCESS + ":1000:3:more");
    List<String> kept =
        List.of(alive + ":0:0", NO_PROCESS + "", NO_PROCESS + ":0", "a" + NO_PROCESS + ":0:0");
    for (String name : stale) {
      Files.createFile(folder.resolve(name));
    }
    for (String name : kept) {
      Files.createFile(folder.resolve(name));
    }
    StaleShm.sweep(folder);
    try (var files = Files.list(folder)) {
      assertThat(files.map(file -> file.getFileName().toString()))
          .containsExactlyInAnyOrderElementsOf(kept);
    }
  }

  @Test
  void aFolderThatIsNotThereIsNoTrouble(@TempDir Path folder) {
    StaleShm.sweep(folder.resolve("nothing"));
    assertThat(folder).isEmptyDirectory();
  }
}
