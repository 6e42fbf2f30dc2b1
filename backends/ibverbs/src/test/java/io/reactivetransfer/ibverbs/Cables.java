package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The two cables of the guest's network {@code veth}: number i connects the devices {@code rxai}
 * and {@code rxbi}, by the network devices {@code vai} and {@code vbi}. They are whole when this is
 * opened, and when it is closed.
 */
final class Cables implements AutoCloseable {

  private static final int COUNT = 2;
  private static final Pattern DROPPED = Pattern.compile("dropped (\\d+)");

  /** Fails where there are none. */
  Cables() {
    for (int cable = 0; cable < COUNT; cable++) {
      assertThat(Path.of("/sys/class/infiniband/rxa" + cable))
          .as("a device of the network veth of src/it/guest")
          .exists();
      mend(cable);
    }
  }

  /** From now on it loses so many of a hundred packets, at random, in both directions. */
  void lose(int cable, int percent) {
    for (String end : ends(cable)) {
      run("tc", "qdisc", "replace", "dev", end, "root", "netem", "loss", percent + "%");
    }
  }

  /** How many packets it has lost since {@link #lose}, in both directions. */
  long lost(int cable) {
    long sum = 0;
    for (String end : ends(cable)) {
      Matcher dropped = DROPPED.matcher(run("tc", "-s", "qdisc", "show", "dev", end));
      while (dropped.find()) {
        sum += Long.parseLong(dropped.group(1));
      }
    }
    return sum;
  }

  /** Takes it out: the ports at both of its ends go down. */
  void unplug(int cable) {
    run("ip", "link", "set", ends(cable)[1], "down");
  }

  /** Makes it whole again. */
  void mend(int cable) {
    for (String end : ends(cable)) {
      if (run("tc", "qdisc", "show", "dev", end).contains("netem")) {
        run("tc", "qdisc", "delete", "dev", end, "root");
      }
      run("ip", "link", "set", end, "up");
    }
  }

  /** How many writes with an immediate each card at a cable says that it has taken in, ever. */
  static Map<String, String> received() {
    Map<String, String> counts = new TreeMap<>();
    for (int cable = 0; cable < COUNT; cable++) {
      for (String card : List.of("rxa" + cable, "rxb" + cable)) {
        Path count = Path.of("/sys/class/infiniband", card, "ports/1/hw_counters/rdma_recvs");
        try {
          counts.put(card, Files.readString(count, StandardCharsets.UTF_8).strip());
        } catch (IOException e) {
          counts.put(card, e.toString());
        }
      }
    }
    return counts;
  }

  @Override
  public void close() {
    for (int cable = 0; cable < COUNT; cable++) {
      mend(cable);
    }
  }

  private static String[] ends(int cable) {
    return new String[] {"va" + cable, "vb" + cable};
  }

  /** What a command has printed. */
  private static String run(String... command) {
    try {
      Path output = Files.createTempFile("cables", ".txt");
      try {
        int code =
            new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start()
                .waitFor();
        String text = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(code).as(String.join(" ", command) + ": " + text).isZero();
        return text;
      } finally {
        Files.delete(output);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
