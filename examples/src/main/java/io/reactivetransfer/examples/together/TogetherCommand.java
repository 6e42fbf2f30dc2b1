package io.reactivetransfer.examples.together;

import io.reactivetransfer.BackendUnavailableException;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import io.reactivetransfer.examples.report.FigureTable;
import io.reactivetransfer.tools.Backends;
import io.reactivetransfer.tools.ByteCount;
import io.reactivetransfer.tools.OptionValues;
import io.reactivetransfer.tools.Provider;
import io.reactivetransfer.tools.Verbosity;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The options of the example. */
@Command(
    name = "together",
    description =
        "Runs all three pipelines at once on three engines: KV caches both ways, updates of"
            + " weights, and steps of experts.",
    sortOptions = false,
    footer = {
      "",
      "Three nodes in this process, with one engine each, on which all pipelines stand. Every byte"
          + " is compared.",
      "Exit code 0: verified. 1: something failed or differed, and stderr says what. 2: a wrong"
          + " value."
    })
public final class TogetherCommand implements Callable<Integer>, Verbosity {

  private static final List<String> NODES = List.of("one", "two", "three");
  private static final Duration LONG = Duration.ofMinutes(2);

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  @Option(
      names = "--backend",
      paramLabel = "NAME",
      description = "What moves the bytes: loopback, tcp or libfabric. Default: tcp.")
  private String backend = "tcp";

  @Option(
      names = "--provider",
      paramLabel = "NAME",
      description = "With --backend libfabric: which of its providers.")
  private @Nullable String provider;

  @Option(names = "--nics", paramLabel = "N", description = "NICs of each engine, 1 to 8.")
  private int nics = 2;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description = "How long they run, 1 to 86,400. Default: 5.")
  private int seconds = 5;

  @Option(names = "--verbose", description = "Show stack traces.")
  private boolean verbose;

  @Override
  public boolean isVerbose() {
    return verbose;
  }

  /** Runs it. */
  @Override
  public Integer call() {
    try {
      TransferEngineBuilder.create().backend(backend);
      Provider.use(Provider.of(backend, provider));
      OptionValues.within("--nics", nics, 1, 8);
      OptionValues.within("--seconds", seconds, 1, 86_400);
    } catch (IllegalArgumentException | BackendUnavailableException e) {
      throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()), e);
    }
    Backends.requireAvailable(backend, nics);
    List<Site> sites = new ArrayList<>();
    try (Arena arena = Arena.ofShared()) {
      try {
        for (String name : NODES) {
          sites.add(site(name, arena));
        }
        return run(sites);
      } finally {
        await(Mono.whenDelayError(sites.stream().map(site -> site.engine.close()).toList()));
      }
    }
  }

  private Site site(String name, Arena arena) {
    TransferEngine engine =
        Objects.requireNonNull(
            TransferEngineBuilder.create()
                .backend(backend)
                .options(EngineOptions.builder().nics(nics).build())
                .open()
                .block(LONG));
    return new Site(name, engine, Schedulers.boundedElastic(), Schedulers.parallel(), arena);
  }

  private int run(List<Site> sites) {
    Together together = Objects.requireNonNull(Together.open(sites).block(LONG));
    long end = System.nanoTime() + Duration.ofSeconds(seconds).toNanos();
    together.run(_ -> System.nanoTime() < end).block(LONG.plusSeconds(seconds));
    await(together.close());
    FigureTable table = new FigureTable();
    together
        .all()
        .forEach(each ->
            table.line(
                each.pipeline().name(),
                "%,d times %s, verified"
                    .formatted(each.done().get(), new ByteCount(each.pipeline().bytes()))));
    List<String> leftovers = together.leftovers();
    if (leftovers.isEmpty()) {
      table.line("engines", NODES.size() + ", nothing left behind by any of them");
    }
    spec.commandLine().getOut().print(table.text());
    spec.commandLine().getOut().flush();
    leftovers.forEach(
        each -> spec.commandLine().getErr().println(spec.qualifiedName() + ": " + each));
    spec.commandLine().getErr().flush();
    return leftovers.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  private static void await(Mono<Void> end) {
    end.block(LONG);
  }
}
