package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.tools.CommandLines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import picocli.CommandLine.ExitCode;

/**
 * One side in a process of its own. It talks to its parent in lines: a word, a blank, the rest. The
 * address of prefill comes in by stdin, not by the command line, because it holds keys and
 * everybody can read a command line.
 */
final class ChildProcess {

  static final String ADDRESS = "address";
  static final String LAYERS = "layers";
  static final String SAID = "said";
  static final String REPORT = "report";

  private ChildProcess() {}

  static int run(KvCacheCommand.Role role, Plan plan) {
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    Lines lines = new Lines(System.out);
    try {
      switch (role) {
        case PREFILL -> {
          endWithParent(in);
          lines.print(REPORT, PrefillRole.run(plan, lines).toLine());
        }
        case DECODE -> {
          String address = in.readLine();
          if (address == null) {
            return ExitCode.SOFTWARE; // the parent has said why
          }
          endWithParent(in);
          PeerAddress prefill = PeerAddress.fromText(address);
          lines.print(REPORT, DecodeRole.run(plan, prefill, lines).toLine());
        }
      }
      return ExitCode.OK;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      if (plan.verbose()) {
        e.printStackTrace();
      }
      System.err.println(role.name().toLowerCase(Locale.ROOT) + ": " + CommandLines.describe(e));
      return ExitCode.SOFTWARE;
    }
  }

  /** The parent writes nothing more: the end of stdin is the parent's. */
  private static void endWithParent(BufferedReader in) {
    Thread.ofPlatform()
        .daemon()
        .name("parent-watch")
        .start(() -> {
          try {
            while (in.readLine() != null) {}
          } catch (IOException e) {
            // the same: nobody is there
          }
          Runtime.getRuntime().halt(ExitCode.SOFTWARE);
        });
  }

  private record Lines(PrintStream out) implements RoleEvents {

    void print(String word, String rest) {
      out.println(word + " " + rest);
      out.flush();
    }

    @Override
    public void address(PeerAddress address) {
      print(ADDRESS, address.toText());
    }

    @Override
    public void layersDone(int layers) {
      print(LAYERS, String.valueOf(layers));
    }

    @Override
    public void said(String text) {
      print(SAID, text);
    }
  }
}
