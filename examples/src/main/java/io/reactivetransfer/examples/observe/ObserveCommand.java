package io.reactivetransfer.examples.observe;

import io.reactivetransfer.examples.worker.WorkerChild;
import io.reactivetransfer.tools.OptionValues;
import io.reactivetransfer.tools.Verbosity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The options of the example. */
@Command(
    name = "observe",
    customSynopsis =
        "examples/run observe slow|stuck|lost [-h] [--verbose] [--every=MS] [--recording=FILE]"
            + " [--seconds=S]",
    description =
        "Shows what the meters and events of engines say that are slow, stuck or lost for a while.",
    sortOptions = false,
    footer = {
      "",
      "A gauge is shown as it is, a counter by how much it has grown since the row before, a timer"
          + " as the mean of the row, in milliseconds. docs/observability.md says how to read it.",
      "Exit code 0: it has run to its end. 1: something has failed, and stderr says what. 2: a"
          + " wrong value."
    })
public final class ObserveCommand implements Callable<Integer>, Verbosity {

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "SCENARIO",
      description = "What happens: slow, stuck or lost.")
  private String scenario = "nothing";

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "How long each act lasts, 1 to 3,600. Default: 3.")
  private int seconds = 3;

  @Option(
      names = "--every",
      paramLabel = "MS",
      description = "Milliseconds from one row to the next, 10 to 60,000. Default: 500.")
  private int every = 500;

  @Option(
      names = "--recording",
      paramLabel = "FILE",
      description = "Keeps the recording of Flight Recorder there, for jfr print and others.")
  private @Nullable Path recording;

  @Option(names = "--verbose", description = "Show stack traces.")
  private boolean verbose;

  @Option(names = TargetWorker.OPTION, hidden = true)
  private boolean isTarget;

  @Override
  public boolean isVerbose() {
    return verbose;
  }

  /** Runs it. */
  @Override
  public Integer call() throws Exception {
    if (isTarget) {
      return WorkerChild.run(verbose, events -> TargetWorker.open());
    }
    try {
      Scenarios.require(scenario);
      OptionValues.within("--seconds", seconds, 1, 3_600);
      OptionValues.within("--every", every, 10, 60_000);
      if (recording != null) {
        OptionValues.writable("--recording", recording);
      }
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    Duration interval = Duration.ofMillis(every);
    Pace pace = Pace.of(Duration.ofSeconds(seconds), interval);
    Observation.play(scenario, pace, interval, recording, spec.commandLine().getOut());
    return ExitCode.OK;
  }
}
