package io.reactivetransfer.tck.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;

class ClassCacheTest {

  /** Says what its own class path is, and ends. */
  static final class Program {
    private Program() {}

    public static void main(String[] args) throws IOException {
      String own = Program.class.getProtectionDomain().getCodeSource().getLocation().getPath();
      System.out.println("own " + own + " " + System.in.read());
    }
  }

  @TempDir private Path temporary;
  private String classPath;
  private Path folder;

  @BeforeEach
  void copyTheProgram() throws Exception {
    Path tests =
        Path.of(ClassCacheTest.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    String name = Program.class.getName().replace('.', '/') + ".class";
    Path empty = Files.createDirectory(temporary.resolve("empty"));
    folder = temporary.resolve("classes");
    Files.createDirectories(folder.resolve(name).getParent());
    Files.copy(tests.resolve(name), folder.resolve(name));
    classPath = String.join(File.pathSeparator, empty.toString(), folder.toString());
  }

  @ParameterizedTest
  @NullAndEmptySource
  void withoutAFolderForCachesNothingIsMade(@Nullable String parent) {
    ClassCache cache = new ClassCache(parent, classPath);

    cache.make(_ -> {
      throw new AssertionError("no program is needed");
    });

    assertThat(cache.options()).containsExactly("-cp", classPath);
  }

  /** One test of all that takes a cache: it is made by a JVM that has to run for it. */
  @Test
  void itIsMadeOnceAndAProgramHasItsClassesFromItUntilTheyChange() throws Exception {
    ClassCache cache = cache();
    assertThat(cache.options()).containsExactly("-cp", classPath);

    cache.make(this::program);

    assertThat(run(cache, "-Xlog:class+load:stdout"))
        .containsPattern("ClassCacheTest\\$Program source: shared objects file")
        .containsPattern("(?m)^own .*/1\\.jar -1$");

    AtomicInteger programs = new AtomicInteger();
    Function<List<String>, ProcessBuilder> counted =
        _ -> {
          programs.incrementAndGet();
          return command(List.of("-XX:NoSuchOption"));
        };
    ClassCache ofTheNextJvm = cache();
    ofTheNextJvm.make(counted);
    assertThat(programs).as("programs for a cache that is there").hasValue(0);
    assertThat(ofTheNextJvm.options()).first().asString().startsWith("-XX:AOTCache=");

    // A test must never run classes that have been compiled anew since.
    Path changed = folder.resolve(Program.class.getName().replace('.', '/') + ".class");
    Files.setLastModifiedTime(changed, FileTime.fromMillis(0));
    ClassCache ofOtherClasses = cache();
    assertThat(ofOtherClasses.options()).containsExactly("-cp", classPath);
    Path caches = temporary.resolve("caches");
    Path somebodys = Files.createDirectory(caches.resolve("abc")).resolve("A.java");
    Files.createFile(somebodys);
    ofOtherClasses.make(counted);
    assertThat(programs).as("programs for a cache of other classes").hasValue(1);
    try (Stream<Path> left = Files.walk(caches)) {
      assertThat(left).contains(somebodys).noneMatch(file -> file.endsWith("cache"));
    }
  }

  @Test
  void aProgramThatCannotRunLeavesNoCacheAndIsTriedOnce() {
    ClassCache cache = cache();
    AtomicInteger programs = new AtomicInteger();
    Function<List<String>, ProcessBuilder> noProgram =
        _ -> {
          programs.incrementAndGet();
          return command(List.of("-XX:NoSuchOption"));
        };

    cache.make(noProgram);
    cache.make(noProgram);

    assertThat(programs).hasValue(1);
    assertThat(cache.options()).containsExactly("-cp", classPath);
  }

  private ClassCache cache() {
    return new ClassCache(temporary.resolve("caches").toString(), classPath);
  }

  private String run(ClassCache cache, String option) throws Exception {
    List<String> options = new ArrayList<>(cache.options());
    options.add(option);
    Process process =
        program(options).redirectInput(new File("/dev/null")).redirectErrorStream(true).start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private ProcessBuilder program(List<String> options) {
    List<String> all = new ArrayList<>(options);
    all.add(Program.class.getName());
    return command(all);
  }

  private static ProcessBuilder command(List<String> options) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    return new ProcessBuilder(command);
  }
}
