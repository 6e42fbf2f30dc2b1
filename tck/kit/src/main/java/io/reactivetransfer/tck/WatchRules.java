package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Change;
import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.TransferRejectedException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Chapter 22: watched words. */
abstract class WatchRules extends RuleGroup {

  private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();

  WatchRules(TransferConformance kit) {
    super(kit);
  }

  private MemorySegment word() {
    MemorySegment word = stage().memory(Long.BYTES);
    WORD.setRelease(word, 0L, 0L);
    return word;
  }

  @Test
  final void r22_1_changesAreTold() {
    TransferEngine engine = stage().open(1);
    MemorySegment word = word();
    Probe<Change> changes = stage().probe("changes", engine.watch(word));
    stage().fence(engine);
    for (int i = 1; i <= 5; i++) {
      WORD.setRelease(word, 0L, (long) i * i);
      changes.awaitValues(i);
    }
    assertThat(changes.values())
        .isEqualTo(
            List.of(
                new Change(0, 1),
                new Change(1, 4),
                new Change(4, 9),
                new Change(9, 16),
                new Change(16, 25)));
    changes.cancel();
  }

  @Test
  final void r22_2_withoutDemandTheLastOneStays() {
    TransferEngine engine = stage().open(1);
    MemorySegment word = word();
    Probe<Change> changes = stage().probe("changes", engine.watch(word), 1);
    stage().fence(engine);
    WORD.setRelease(word, 0L, 1L);
    changes.awaitValues(1);
    for (int i = 2; i <= 4; i++) {
      WORD.setRelease(word, 0L, (long) i);
      changes.assertSilent();
    }
    changes.request(2);
    stage().patience().until("the last one", () -> changes.values().getLast().current() == 4);
    changes.assertSilent();
    assertThat(changes.values()).as("changes").hasSizeLessThanOrEqualTo(3);
    changes.cancel();
  }

  @Test
  final void r22_4_wordsOfAcceleratorsAreWatchedToo() {
    TransferEngine engine = stage().open(1);
    DeviceMemory word = BareNic.DEVICE.allocate(Long.BYTES);
    Probe<Change> changes = stage().probe("changes", engine.watch(word));
    stage().fence(engine);
    for (int i = 1; i <= 3; i++) {
      BareNic.DEVICE.write(word, new byte[] {(byte) i, 0, 0, 0, 0, 0, 0, (byte) i});
      changes.awaitValues(i);
    }
    long sum = changes.values().stream().mapToLong(Change::current).reduce(0, Long::sum);
    assertThat(sum).as("the sum of the words").isEqualTo(0x0600_0000_0000_0006L);
    BareNic.DEVICE.free(word);
    changes.awaitError(IllegalStateException.class);
    DeviceMemory nowhere = new DeviceMemory(Device.of("no-such-kind", 3), 4_096, Long.BYTES);
    Throwable refusal =
        stage().probe("a watch", engine.watch(nowhere)).awaitError(TransferRejectedException.class);
    assertThat(refusal).hasMessageContaining("no-such-kind");
  }

  @Test
  final void r22_3_closingTheEngineEndsTheWatch() {
    TransferEngine engine = stage().open(1);
    Probe<Change> changes = stage().probe("changes", engine.watch(word()));
    stage().complete(engine.close());
    changes.awaitError(TransferRejectedException.class);
    changes.assertOneTerminalSignal();
  }
}
