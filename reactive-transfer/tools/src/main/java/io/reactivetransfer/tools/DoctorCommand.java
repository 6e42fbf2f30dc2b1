package io.reactivetransfer.tools;

import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import java.io.PrintWriter;
import java.util.Iterator;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Says of every backend whether it can run here; if not, why not and how to mend it. */
@Command(
    name = "doctor",
    description = "Says of every backend whether it can run here, and if not, how to mend it.")
public final class DoctorCommand implements Callable<Integer> {

  @Spec
  @SuppressWarnings("NullAway.Init") // picocli sets it
  private CommandSpec spec;

  /** 0 if any backend can run, 1 if none can. */
  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    out.printf(
        "Java %s, %s %s, %d CPUs%n%n",
        Runtime.version(),
        System.getProperty("os.name"),
        System.getProperty("os.arch"),
        Runtime.getRuntime().availableProcessors());
    int available = 0;
    Iterator<Backend> backends = ServiceLoader.load(Backend.class).iterator();
    while (backends.hasNext()) {
      available += examine(backends, out) ? 1 : 0;
    }
    out.flush();
    return available > 0 ? ExitCode.OK : ExitCode.SOFTWARE;
  }

  /** One bad provider must not hide the others. */
  static boolean examine(Iterator<Backend> backends, PrintWriter out) {
    String name = "?";
    try {
      Backend backend = backends.next();
      name = backend.name();
      return report(backend, out);
    } catch (ServiceConfigurationError | RuntimeException | LinkageError e) {
      print(out, name, "not available: " + CommandLines.describe(e));
      print(out, "", "fix: this should not happen; please report it");
      return false;
    }
  }

  private static boolean report(Backend backend, PrintWriter out) {
    switch (backend.availability()) {
      case Availability.Available ok -> {
        print(out, backend.name(), "available");
        print(
            out,
            "",
            backend.nics().stream()
                .map(DoctorCommand::describe)
                .collect(Collectors.joining(", ", "NICs: ", "")));
        backend.remarks().forEach(remark -> print(out, "", remark));
        return true;
      }
      case Availability.Unavailable no -> {
        print(out, backend.name(), "not available: " + no.reason());
        print(out, "", "fix: " + no.remedy());
        return false;
      }
    }
  }

  private static String describe(Nic nic) {
    StringBuilder text = new StringBuilder(nic.name());
    if (nic.bitsPerSecond() > 0) {
      text.append(' ').append(nic.bitsPerSecond() / 1_000_000_000).append(" Gbit/s");
    }
    if (nic.numaNode() >= 0) {
      text.append(" NUMA ").append(nic.numaNode());
    }
    return nic.pciPath() == null ? text.toString() : text + " PCI " + nic.pciPath();
  }

  private static void print(PrintWriter out, String name, String text) {
    out.printf("%-12s%s%n", name, text);
  }
}
