package io.reactivetransfer.weights.version;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class GateTest {

  private static Gate gate(Runnable drained) {
    return new Gate(UpdateNumber.NONE, 1, 0, List.of(), of -> drained.run());
  }

  @Test
  void isDrainedWhenTheLastOneLeaves() {
    AtomicInteger drained = new AtomicInteger();
    Gate gate = gate(drained::incrementAndGet);
    assertThat(gate.enter()).isTrue();
    assertThat(gate.enter()).isTrue();
    gate.close();
    assertThat(gate.enter()).isFalse();
    gate.leave();
    assertThat(gate.isDrained()).isFalse();
    assertThat(drained).hasValue(0);
    gate.leave();
    assertThat(gate.isDrained()).isTrue();
    assertThat(drained).hasValue(1);
    gate.reopen();
    assertThat(gate.isDrained()).isFalse();
    assertThat(gate.enter()).isTrue();
    gate.leave();
    gate.close();
    assertThat(drained).hasValue(2);
  }

  @Test
  void nobodyIsInsideADrainedGate() throws InterruptedException {
    AtomicBoolean isWritten = new AtomicBoolean();
    AtomicInteger mixtures = new AtomicInteger();
    AtomicBoolean ends = new AtomicBoolean();
    AtomicInteger drained = new AtomicInteger();
    Gate gate = gate(drained::incrementAndGet);
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      readers.add(
          Thread.ofPlatform()
              .start(() -> {
                while (!ends.get()) {
                  if (gate.enter()) {
                    if (isWritten.get()) {
                      mixtures.incrementAndGet();
                    }
                    gate.leave();
                  }
                }
              }));
    }
    for (int round = 0; round < 2_000; round++) {
      gate.close();
      while (!gate.isDrained()) {
        Thread.onSpinWait();
      }
      isWritten.set(true);
      isWritten.set(false);
      gate.reopen();
    }
    ends.set(true);
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(mixtures).hasValue(0);
    assertThat(drained.get()).isGreaterThanOrEqualTo(2_000);
  }
}
