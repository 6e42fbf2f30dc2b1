package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.CommandLines;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import picocli.CommandLine.ExitCode;

/**
 * A role in a process of its own. Its parent asks by stdin and is answered by stdout, a line each:
 * a word, a blank, the rest. Addresses and descriptors hold keys, and nobody else can read those.
 */
final class ChildProcess {

  static final String ANSWER = "answer";
  static final String FAILED = "failed";
  static final String PROGRESS = "progress";

  /** The last line that the parent writes. */
  static final String BYE = "bye";

  private final Plan plan;
  private final PrintStream out = System.out;
  private final BlockingQueue<String> questions = new LinkedBlockingQueue<>();

  private ChildProcess(Plan plan) {
    this.plan = plan;
  }

  static int run(PerfCommand.Side side, Plan plan) throws InterruptedException {
    ChildProcess process = new ChildProcess(plan);
    Thread.ofPlatform().daemon().name("parent-watch").start(process::readQuestions);
    try (Role role = process.open(side)) {
      process.say(ANSWER, "");
      return process.serve(role);
    } catch (RuntimeException | OutOfMemoryError e) {
      process.failed(e);
      return ExitCode.SOFTWARE;
    }
  }

  private Role open(PerfCommand.Side side) {
    return switch (side) {
      case ORIGIN -> OriginRole.open(plan, done -> say(PROGRESS, String.valueOf(done)));
      case TARGET -> TargetRole.open(plan);
    };
  }

  private int serve(Role role) throws InterruptedException {
    for (String question = questions.take(); !question.equals(BYE); question = questions.take()) {
      try {
        say(ANSWER, role.answer(question));
      } catch (InterruptedException e) {
        throw e;
      } catch (Exception | OutOfMemoryError e) {
        failed(e);
      }
    }
    return ExitCode.OK;
  }

  private void failed(Throwable reason) {
    if (plan.verbose()) {
      reason.printStackTrace();
    }
    say(FAILED, CommandLines.describe(reason));
  }

  private void say(String word, String rest) {
    out.println(word + " " + rest);
    out.flush();
  }

  /** The end of stdin is the parent's: it says goodbye before it closes it. */
  private void readQuestions() {
    boolean last = false;
    try (BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      String line;
      while (!last && (line = in.readLine()) != null) {
        questions.add(line);
        last = line.equals(BYE);
      }
    } catch (IOException e) {
      // the same: nobody is there
    }
    if (!last) {
      Runtime.getRuntime().halt(ExitCode.SOFTWARE);
    }
  }
}
