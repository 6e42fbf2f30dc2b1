package io.reactivetransfer.tools.soak;

import io.reactivetransfer.tools.CommandLines;
import io.reactivetransfer.tools.process.Parent;
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
  private final Parent parent = new Parent();

  private ChildProcess(Plan plan, Side side) {
    this.plan = plan;
    this.side = side;
  }

  /** Ends with its parent. */
  static int run(Plan plan, int side) throws InterruptedException {
    ChildProcess process =
        new ChildProcess(plan, new Host(plan, side, nics -> Engines.open(plan, nics)));
    process.parent.listen(process::take, line -> false).join();
    return ExitCode.SOFTWARE;
  }

  private void take(String line) {
    String[] question = line.split(" ", 2);
    Thread.ofVirtual().start(() -> answer(question[0], question[1]));
  }

  private void answer(String id, String question) {
    try {
      parent.tell(ANSWER, id + " " + side.ask(question));
    } catch (Throwable e) {
      if (plan.verbose()) {
        e.printStackTrace();
      }
      parent.tell(FAILED, id + " " + CommandLines.describe(e));
    }
  }
}
