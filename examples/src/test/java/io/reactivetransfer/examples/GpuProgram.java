package io.reactivetransfer.examples;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.tck.process.JavaProcess;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;

/** The program as a user starts it with a GPU, which is the fake's. */
public final class GpuProgram {

  private GpuProgram() {}

  /** What a command prints that ends well and complains of nothing. */
  public static String output(Path folder, String... arguments) throws Exception {
    FakeCuda.compile(folder);
    ProcessBuilder command =
        JavaProcess.command(
            List.of("--sun-misc-unsafe-memory-access=allow"),
            "io.reactivetransfer.examples.Main",
            arguments);
    FakeCuda.use(folder, command);
    try (JavaProcess program = JavaProcess.start(command)) {
      assertThat(program.exitCode()).as(() -> program.stdout() + program.stderr()).isZero();
      assertThat(program.stderr()).isEmpty();
      return program.stdout();
    }
  }

  /** What a command complains of, in this process, that was given something that does not fit. */
  public static String refusal(String... arguments) {
    StringWriter err = new StringWriter();
    int code = Main.commandLine().setErr(new PrintWriter(err, true)).execute(arguments);
    assertThat(code).as(err::toString).isEqualTo(2);
    return err.toString();
  }
}
