package io.reactivetransfer.tools.doctor;

import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.PciTree;
import io.reactivetransfer.tools.CommandLines;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;

/**
 * What was found on one host.
 *
 * @param available the names of the backends that can run there
 * @param lines all of it, for people
 */
record Findings(List<String> available, List<String> lines) {

  private static final String SEPARATOR = "\t";

  /** Asks every backend of this process. */
  static Findings here() {
    Findings findings = of(ServiceLoader.load(Backend.class).iterator());
    findings.lines.add("");
    findings.examineDevices(ServiceLoader.load(DeviceAccess.class).iterator());
    List<String> pairs =
        Pairs.lines(
            ServiceLoader.load(Backend.class).iterator(),
            ServiceLoader.load(DeviceAccess.class).iterator(),
            PciTree.system());
    if (!pairs.isEmpty()) {
      findings.lines.add("");
      findings.lines.addAll(pairs);
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        String.format(
            "Java %s, %s %s, %d CPUs",
            Runtime.version(),
            System.getProperty("os.name"),
            System.getProperty("os.arch"),
            Runtime.getRuntime().availableProcessors()));
    lines.add("");
    lines.addAll(findings.lines);
    return new Findings(findings.available, lines);
  }

  static Findings of(Iterator<Backend> backends) {
    Findings findings = new Findings(new ArrayList<>(), new ArrayList<>());
    while (backends.hasNext()) {
      findings.examine(backends);
    }
    return findings;
  }

  /** One bad provider must not hide the others. */
  private void examine(Iterator<Backend> backends) {
    String name = "?";
    try {
      Backend backend = backends.next();
      name = backend.name();
      examine(backend);
    } catch (ServiceConfigurationError | RuntimeException | LinkageError e) {
      add(name, "not available: " + CommandLines.describe(e));
      add("", "fix: this should not happen; please report it");
    }
  }

  private void examine(Backend backend) {
    switch (backend.availability()) {
      case Availability.Available ok -> {
        String nics =
            backend.nics().stream()
                .map(Findings::describe)
                .collect(Collectors.joining(", ", "NICs: ", ""));
        List<String> remarks = backend.remarks();
        available.add(backend.name());
        add(backend.name(), "available");
        add("", nics);
        remarks.forEach(remark -> add("", remark));
      }
      case Availability.Unavailable no -> {
        add(backend.name(), "not available: " + no.reason());
        add("", "fix: " + no.remedy());
      }
    }
  }

  /** As with backends. */
  void examineDevices(Iterator<DeviceAccess> all) {
    if (!all.hasNext()) {
      add("devices", "none: no artifact that reaches an accelerator is on the class path");
    }
    while (all.hasNext()) {
      String kind = "?";
      try {
        DeviceAccess access = all.next();
        kind = access.kind();
        examine(access);
      } catch (ServiceConfigurationError | RuntimeException | LinkageError e) {
        add(kind, "not available: " + CommandLines.describe(e));
        add("", "fix: this should not happen; please report it");
      }
    }
  }

  private void examine(DeviceAccess access) {
    switch (access.availability()) {
      case Availability.Available ok ->
          access.devices().forEach(device -> add(device.toString(), access.describe(device)));
      case Availability.Unavailable no -> {
        add(access.kind(), "not available: " + no.reason());
        add("", "fix: " + no.remedy());
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

  private void add(String name, String text) {
    lines.add(line(name, text));
  }

  static String line(String name, String text) {
    return String.format("%-12s%s", name, text);
  }

  /** In one line, to another host. */
  String toLine() {
    return String.join(",", available) + SEPARATOR + String.join(SEPARATOR, lines);
  }

  /** What another host has found. */
  static Findings of(String line) {
    List<String> parts = List.of(line.split(SEPARATOR, -1));
    return new Findings(List.of(parts.getFirst().split(",")), parts.subList(1, parts.size()));
  }
}
