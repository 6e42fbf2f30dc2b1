package io.reactivetransfer.examples.jlama;

import org.jspecify.annotations.Nullable;

/** Where Jlama runs as it is used here. */
final class Platform {

  private static final String VECTORS = "jdk.incubator.vector";

  private Platform() {}

  /** Why the example cannot run here, or null if it can. Loads no class of Jlama. */
  static @Nullable String objection() {
    return objection(
        System.getProperty("os.name"),
        System.getProperty("os.arch"),
        ModuleLayer.boot().findModule(VECTORS).isPresent());
  }

  static @Nullable String objection(String system, String machine, boolean vectors) {
    if (!system.equals("Linux") || !machine.equals("amd64")) {
      return "jlama does not run here: it runs on Linux on x86-64, and this is "
          + system
          + " on "
          + machine
          + "; examples/run kv-cache runs everywhere";
    }
    if (!vectors) {
      return "jlama needs the module " + VECTORS + ": start Java with --add-modules " + VECTORS;
    }
    return null;
  }
}
