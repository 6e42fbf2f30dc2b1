package io.reactivetransfer.tools.doctor;

import io.reactivetransfer.tools.perf.Listening;
import io.reactivetransfer.tools.perf.SideFailedException;
import io.reactivetransfer.tools.process.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Says of every backend whether it can run here, and between two hosts whether it connects. */
@Command(
    name = "doctor",
    description = "Says of every backend whether it can run here, and if not, how to mend it.",
    sortOptions = false,
    footer = {
      "",
      "Checks a path between two hosts, too: --listen on the one, then --connect on the other; for"
          + " networks that you trust.",
      "Exit code 0: a backend can run, or connects. 1: none does. 2: a wrong value."
    })
public final class DoctorCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--listen",
      paramLabel = "HOST:PORT",
      description = "Wait there, at an address of this machine, for another host's check.")
  private @Nullable String listen;

  @Option(
      names = "--connect",
      paramLabel = "HOST:PORT",
      description =
          "Check the path to the host that listens there: what each side has, which backends"
              + " connect, and what a few seconds of each come to.")
  private @Nullable String connect;

  @Option(names = "--seconds", hidden = true, description = "How long each measurement takes.")
  private double seconds = 1.5;

  @Override
  public Integer call() throws IOException, SideFailedException, InterruptedException {
    if (listen != null && connect != null) {
      throw new ParameterException(
          spec.commandLine(), "expected either --listen or --connect, got both");
    }
    HostPort at = address();
    Findings here = Findings.here();
    here.lines().forEach(this::print);
    if (at == null) {
      return here.available().isEmpty() ? ExitCode.SOFTWARE : ExitCode.OK;
    }
    print("");
    if (connect != null) {
      return PathCheck.run(at, here, seconds, this::print) ? ExitCode.OK : ExitCode.SOFTWARE;
    }
    Listening.serve(at, Map.of(PathCheck.EXAMINE, here::toLine), line -> print("doctor: " + line));
    return ExitCode.OK;
  }

  private @Nullable HostPort address() {
    try {
      return listen != null
          ? HostPort.of("--listen", listen)
          : connect != null ? HostPort.of("--connect", connect) : null;
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
  }

  private void print(String line) {
    PrintWriter out = spec.commandLine().getOut();
    out.println(line);
    out.flush();
  }
}
