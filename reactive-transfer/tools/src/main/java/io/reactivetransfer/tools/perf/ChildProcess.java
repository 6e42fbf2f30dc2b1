package io.reactivetransfer.tools.perf;

import io.reactivetransfer.tools.CommandLines;
import io.reactivetransfer.tools.process.Parent;
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
  private final BlockingQueue<String> questions = new LinkedBlockingQueue<>();
  private final Parent parent = new Parent();

  private ChildProcess(Plan plan) {
    this.plan = plan;
  }

  static int run(PerfCommand.Side side, Plan plan) throws InterruptedException {
    ChildProcess process = new ChildProcess(plan);
    process.parent.listen(process.questions::add, BYE::equals);
    try (Role role = process.open(side)) {
      process.parent.tell(ANSWER, "");
      return process.serve(role);
    } catch (RuntimeException | OutOfMemoryError e) {
      process.failed(e);
      return ExitCode.SOFTWARE;
    }
  }

  private Role open(PerfCommand.Side side) {
    return switch (side) {
      case ORIGIN -> OriginRole.open(plan, done -> parent.tell(PROGRESS, String.valueOf(done)));
      case TARGET -> TargetRole.open(plan);
    };
  }

  private int serve(Role role) throws InterruptedException {
    for (String question = questions.take(); !question.equals(BYE); question = questions.take()) {
      try {
        parent.tell(ANSWER, role.answer(question));
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
    parent.tell(FAILED, CommandLines.describe(reason));
  }
}
