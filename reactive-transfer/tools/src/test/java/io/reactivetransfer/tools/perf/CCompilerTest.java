package io.reactivetransfer.tools.perf;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** With programs that stand for a compiler: none need be installed. */
class CCompilerTest {

  private static final FabricLibrary SYSTEM = new FabricLibrary(null);

  @TempDir private Path folder;

  private void compiler(String name, String script) throws IOException {
    Path program = Files.writeString(folder.resolve(name), "#!/bin/sh\n" + script + "\n");
    Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private CCompiler find(FabricLibrary library) throws Exception {
    return CCompiler.find(folder.toString(), library);
  }

  @Test
  void withoutACompilerItSaysWhatToInstall() {
    assertThatThrownBy(() -> find(SYSTEM))
        .isInstanceOf(CCompiler.UnavailableException.class)
        .hasMessageContaining("neither gcc nor cc")
        .hasMessageContaining("apt-get install gcc");
  }

  @Test
  void withoutTheHeadersItSaysWhatToInstall() throws IOException {
    compiler("gcc", "exit 1");
    assertThatThrownBy(() -> find(SYSTEM))
        .isInstanceOf(CCompiler.UnavailableException.class)
        .hasMessageContaining("rdma/fabric.h")
        .hasMessageContaining("libfabric-dev");
  }

  @Test
  void ccWillDo() throws Exception {
    compiler("cc", "exit 0");
    Path sources = Files.createDirectory(folder.resolve("sources"));
    assertThat(find(SYSTEM).compile(sources)).hasParentRaw(sources);
    assertThat(sources.resolve("main.c")).exists();
  }

  @Test
  void whatTheCompilerSaysIsPassedOn() throws Exception {
    compiler("gcc", "case \"$*\" in *-fsyntax-only*) ;; *) echo no such library; exit 1;; esac");
    Path sources = Files.createDirectory(folder.resolve("sources"));
    CCompiler compiler = find(SYSTEM);
    assertThatThrownBy(() -> compiler.compile(sources))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("exit code 1: no such library");
  }

  @Test
  void anotherLibraryIsLinkedAndFoundAtRunTime() throws IOException {
    Path headers = Files.createDirectories(folder.resolve("include/rdma"));
    Files.createFile(headers.resolve("fabric.h"));
    String file = folder.resolve("lib/libfabric.so.1").toString();
    FabricLibrary library = new FabricLibrary(file);
    assertThat(library.headers()).containsExactly("-I" + folder.resolve("include"));
    assertThat(library.link()).containsExactly(file, "-Wl,-rpath," + folder.resolve("lib"));
  }

  @Test
  void aLibraryByNameIsTheLinkersToFind() {
    FabricLibrary library = new FabricLibrary("libfabric.so.1");
    assertThat(library.headers()).isEmpty();
    assertThat(library.link()).containsExactly("-l:libfabric.so.1");
    assertThat(SYSTEM.link()).containsExactly("-lfabric");
  }
}
