package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.tools.process.OnExit;
import java.io.IOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Starts both sides, introduces them to each other, and waits for both to end by themselves. */
final class TwoProcesses {

  /** To start, to fill the source and to compare the target: none of it is in the deadline. */
  private static final Duration GRACE = Duration.ofSeconds(20);

  private TwoProcesses() {}

  static Outcome run(Plan plan, Progress progress) throws IOException, InterruptedException {
    RoleProcess prefill = RoleProcess.start(Role.PREFILL, plan, progress);
    RoleProcess decode = RoleProcess.start(Role.DECODE, plan, progress);
    // They end by themselves when their stdin does, but not if they are stuck.
    try (OnExit _ =
        OnExit.run(() -> {
          prefill.destroy();
          decode.destroy();
        })) {
      progress.say(
          String.format(
              "prefill is process %d, decode is process %d; deadline %d s",
              prefill.pid(), decode.pid(), plan.deadline().toSeconds()));
      String address = prefill.address().join();
      if (address == null) {
        decode.destroy(); // it waits for an address that will not come
      } else {
        decode.tell(address);
      }
      long untilNanos = System.nanoTime() + plan.deadline().plus(GRACE).toNanos();
      decode.awaitEnd(untilNanos);
      prefill.awaitEnd(untilNanos);
      progress.finishLine();
      return outcome(prefill, address == null ? null : decode);
    }
  }

  private static Outcome outcome(RoleProcess prefill, @Nullable RoleProcess decode) {
    String prefillReport = prefill.report();
    String decodeReport = decode == null ? null : decode.report();
    return new Outcome(
        prefillReport == null ? null : PrefillReport.of(prefillReport),
        decodeReport == null ? null : DecodeReport.of(decodeReport),
        decode == null ? prefill.ending() : prefill.ending() + ", " + decode.ending());
  }
}
