package io.reactivetransfer.tools.perf;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Makes the reference of libfabric from its sources, which are resources. */
final class CCompiler {

  private static final String SOURCES = "/bench/libfabric/";
  private static final List<String> HEADERS =
      List.of(
          "clock.h",
          "connection.h",
          "histogram.h",
          "lines.h",
          "node.h",
          "options.h",
          "origin.h",
          "target.h",
          "writes.h");
  private static final List<String> UNITS =
      List.of(
          "connection.c",
          "histogram.c",
          "lines.c",
          "main.c",
          "node.c",
          "options.c",
          "origin.c",
          "target.c",
          "writes.c");
  private static final List<String> FLAGS = List.of("-std=c11", "-D_GNU_SOURCE", "-O2");

  private final Path program;
  private final FabricLibrary library;

  private CCompiler(Path program, FabricLibrary library) {
    this.program = program;
    this.library = library;
  }

  /**
   * The compiler, and with it the headers of the library.
   *
   * @throws UnavailableException if one of them is missing; says which, and how to get it
   */
  static CCompiler find(FabricLibrary library) throws UnavailableException, InterruptedException {
    return find(OnPath.path(), library);
  }

  static CCompiler find(String path, FabricLibrary library)
      throws UnavailableException, InterruptedException {
    Path program = OnPath.find(path, List.of("gcc", "cc"));
    if (program == null) {
      throw new UnavailableException(
          "expected a C compiler for the reference, got neither gcc nor cc on the PATH; install"
              + " one, for example: apt-get install gcc");
    }
    CCompiler compiler = new CCompiler(program, library);
    compiler.requireHeaders();
    return compiler;
  }

  private void requireHeaders() throws UnavailableException, InterruptedException {
    try {
      List<String> command = new ArrayList<>(List.of("-fsyntax-only", "-include", "rdma/fabric.h"));
      command.addAll(library.headers());
      command.addAll(List.of("-x", "c", "/dev/null"));
      run(command);
    } catch (IOException e) {
      throw new UnavailableException(
          "expected the headers of libfabric (rdma/fabric.h) for the reference, got none that "
              + program
              + " finds; install them, for example: apt-get install libfabric-dev",
          e);
    }
  }

  /** Leaves the program in this folder. */
  Path compile(Path folder) throws IOException, InterruptedException {
    for (String header : HEADERS) {
      copy(header, folder);
    }
    List<String> arguments = new ArrayList<>(FLAGS);
    arguments.addAll(library.headers());
    Path result = folder.resolve("reference");
    arguments.addAll(List.of("-o", result.toString()));
    for (String unit : UNITS) {
      arguments.add(copy(unit, folder).toString());
    }
    arguments.addAll(library.link());
    run(arguments);
    return result;
  }

  private static Path copy(String name, Path folder) throws IOException {
    try (InputStream source = CCompiler.class.getResourceAsStream(SOURCES + name)) {
      if (source == null) {
        throw new IOException(
            "expected the source " + SOURCES + name + " on the class path, got none; build again");
      }
      Path file = folder.resolve(name);
      Files.copy(source, file);
      return file;
    }
  }

  private void run(List<String> arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.addAll(arguments);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException(program + " ended with exit code " + code + ": " + said.strip());
    }
  }

  /** Something that must be installed first. */
  static final class UnavailableException extends IOException {
    private static final long serialVersionUID = 1L;

    UnavailableException(String message) {
      super(message);
    }

    UnavailableException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
