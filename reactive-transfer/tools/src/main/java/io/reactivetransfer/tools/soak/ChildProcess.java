package io.reactivetransfer.tools.soak;

import io.reactivetransfer.tools.CommandLines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine.ExitCode;

/**
 * A side in a process of its own. Its parent asks by stdin and is answered by stdout, a line each:
 * a word, the number of the question, the rest. Questions are answered as they are ready, in any
 * order.
 */
final class ChildProcess {

  static final String ANSWER = "answer";
  static final String FAILED = "failed";

  private final Plan plan;
  private final Side side;
  private final PrintStream out = System.out;

  private ChildProcess(Plan plan, Side side) {
    this.plan = plan;
    this.side = side;
  }

  /** Ends with its parent: the end of stdin is the parent's. */
  static int run(Plan plan, int side) throws IOException {
    Host host = new Host(plan, side, nics -> Engines.open(plan, nics));
    ChildProcess process = new ChildProcess(plan, host);
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      String line;
      while ((line = in.readLine()) != null) {
        String[] question = line.split(" ", 2);
        Thread.ofVirtual().start(() -> process.answer(question[0], question[1]));
      }
    }
    Runtime.getRuntime().halt(ExitCode.SOFTWARE);
    return ExitCode.SOFTWARE;
  }

  private void answer(String id, String question) {
    try {
      say(ANSWER, id, side.ask(question));
    } catch (Throwable e) {
      if (plan.verbose()) {
        e.printStackTrace();
      }
      say(FAILED, id, CommandLines.describe(e));
    }
  }

  private synchronized void say(String word, String id, String rest) {
    out.println(word + " " + id + " " + rest);
    out.flush();
  }
}
