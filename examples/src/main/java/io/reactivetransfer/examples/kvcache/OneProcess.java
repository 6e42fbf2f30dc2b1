package io.reactivetransfer.examples.kvcache;

import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.tools.CommandLines;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** Both sides in this JVM, each on a thread of its own. */
final class OneProcess {

  private OneProcess() {}

  static Outcome run(Plan plan, Progress progress) throws InterruptedException {
    CompletableFuture<PeerAddress> address = new CompletableFuture<>();
    RoleEvents events =
        new RoleEvents() {
          @Override
          public void address(PeerAddress prefill) {
            address.complete(prefill);
          }

          @Override
          public void layersDone(int layers) {
            progress.layersDone(layers);
          }

          @Override
          public void happened(Moment moment) {
            progress.happened(moment);
          }

          @Override
          public void said(String text) {
            progress.say(text);
          }
        };
    List<String> failures = new ArrayList<>();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      Future<PrefillReport> prefill =
          threads.submit(() -> {
            try {
              return PrefillRole.run(plan, events);
            } catch (Throwable e) {
              address.completeExceptionally(e);
              throw e;
            }
          });
      Future<DecodeReport> decode =
          threads.submit(() -> DecodeRole.run(plan, address.get(), events));
      DecodeReport decoded = outcomeOf(decode, "decode", plan, failures);
      PrefillReport prefilled = outcomeOf(prefill, "prefill", plan, failures);
      progress.finishLine();
      return new Outcome(prefilled, decoded, String.join("; ", failures));
    }
  }

  private static <T> @Nullable T outcomeOf(
      Future<T> side, String name, Plan plan, List<String> failures) throws InterruptedException {
    try {
      return side.get();
    } catch (ExecutionException e) {
      Throwable cause = e.getCause() == null ? e : e.getCause();
      if (plan.verbose()) {
        cause.printStackTrace();
      }
      failures.add(name + ": " + CommandLines.describe(cause));
      return null;
    }
  }
}
