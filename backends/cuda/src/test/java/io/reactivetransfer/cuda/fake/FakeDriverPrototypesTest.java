package io.reactivetransfer.cuda.fake;

import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The functions and constants of the fake are those of NVIDIA's header, which is no part of this
 * project: this is skipped where the header is not installed, even if nothing else may be.
 */
class FakeDriverPrototypesTest {

  @Test
  void agreeWithTheHeader() throws IOException {
    Path include = include();
    FakeLibrary.gcc(List.of("-fsyntax-only", "-DFAKECUDA_CHECK", "-isystem", include.toString()));
  }

  private static Path include() throws IOException {
    List<Path> places = new ArrayList<>();
    Stream.of(System.getenv("CUDA_HOME"), System.getenv("CUDA_PATH"))
        .filter(Objects::nonNull)
        .forEach(home -> places.add(Path.of(home, "include")));
    try (Stream<Path> local = Files.list(Path.of("/usr/local"))) {
      local
          .filter(it -> it.getFileName().toString().startsWith("cuda"))
          .map(it -> it.resolve("include"))
          .sorted()
          .forEach(places::add);
    }
    places.add(Path.of("/usr/include"));
    return places.stream()
        .filter(it -> Files.exists(it.resolve("cuda.h")))
        .findFirst()
        .orElseGet(() -> abort("there is no cuda.h of NVIDIA's in any of " + places));
  }
}
