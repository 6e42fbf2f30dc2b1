package io.reactivetransfer.tools.perf;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which libfabric the reference is built with: the one that ours opens.
 *
 * @param name a file or the name of one, or null for the system's
 */
record FabricLibrary(@Nullable String name) {

  static final String PROPERTY = "reactivetransfer.libfabric.library";
  private static final String VARIABLE = "FI_LIBRARY";

  static FabricLibrary chosen() {
    String name = System.getProperty(PROPERTY);
    return new FabricLibrary(name == null ? System.getenv(VARIABLE) : name);
  }

  /** Where its headers are, if they lie next to it; the system's do otherwise. */
  List<String> headers() {
    Path folder = folder();
    Path include = folder == null ? null : folder.resolveSibling("include");
    return include != null && Files.exists(include.resolve("rdma/fabric.h"))
        ? List.of("-I" + include)
        : List.of();
  }

  /** Has the program find this one when it starts, too. */
  List<String> link() {
    if (name == null) {
      return List.of("-lfabric");
    }
    Path folder = folder();
    return folder == null
        ? List.of("-l:" + name)
        : List.of(Path.of(name).toAbsolutePath().toString(), "-Wl,-rpath," + folder);
  }

  /** Null for what is found by its name alone. */
  private @Nullable Path folder() {
    return name == null || !name.contains("/") ? null : Path.of(name).toAbsolutePath().getParent();
  }
}
