package io.reactivetransfer.tcp;

import static org.awaitility.Awaitility.await;

import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Engines come and go: nothing in the process knows those that were closed. */
class ClosedEngineTest {

  private static final int ROUNDS = 5;

  @Test
  void isForgotten() {
    List<WeakReference<TcpLoop>> closed = new ArrayList<>();
    for (int i = 0; i < ROUNDS; i++) {
      closed.addAll(openWriteAndClose());
    }
    await()
        .until(() -> {
          System.gc();
          // The last one may still be known to what its thread has left behind.
          return closed.stream().filter(loop -> loop.get() != null).count() <= 1;
        });
  }

  private static List<WeakReference<TcpLoop>> openWriteAndClose() {
    try (TestNic origin = new TestNic();
        TestNic target = new TestNic()) {
      var source = origin.register(8);
      origin.write(source, origin.remote(target, target.register(8)), 8, 1);
      origin.awaitWritten(1);
      return List.of(new WeakReference<>(origin.loop), new WeakReference<>(target.loop));
    }
  }
}
