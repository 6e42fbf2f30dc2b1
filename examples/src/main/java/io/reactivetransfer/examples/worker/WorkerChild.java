package io.reactivetransfer.examples.worker;

import io.reactivetransfer.tools.CommandLines;
import io.reactivetransfer.tools.process.Parent;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import picocli.CommandLine.ExitCode;

/** A {@link Worker} in a process of its own: it is asked by stdin and answers by stdout. */
public final class WorkerChild {

  static final String ANSWER = "answer";
  static final String FAILED = "failed";

  /** The last line that the parent writes. */
  static final String BYE = "bye";

  /** Makes the worker. */
  public interface Opening {

    /**
     * Opens it.
     *
     * @param events is told what happens; words other than {@code answer} and {@code failed}
     */
    Worker open(Events events) throws Exception;
  }

  private WorkerChild() {}

  /**
   * Runs until the parent has nothing more to ask, or is gone.
   *
   * @param verbose whether a failure shows its stack trace
   * @return the exit code of the process
   */
  public static int run(boolean verbose, Opening opening) throws InterruptedException {
    BlockingQueue<String> questions = new LinkedBlockingQueue<>();
    Parent parent = new Parent();
    parent.listen(questions::add, BYE::equals);
    try (Worker worker = opening.open(parent::tell)) {
      parent.tell(ANSWER, "ready");
      for (String asked = questions.take(); !asked.equals(BYE); asked = questions.take()) {
        parent.tell(ANSWER, worker.answer(asked));
      }
      return ExitCode.OK;
    } catch (InterruptedException e) {
      throw e;
    } catch (Exception | OutOfMemoryError e) {
      if (verbose) {
        e.printStackTrace();
      }
      parent.tell(FAILED, CommandLines.describe(e));
      return ExitCode.SOFTWARE;
    }
  }
}
