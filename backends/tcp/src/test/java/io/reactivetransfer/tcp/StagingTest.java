package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.fuzz.CapturedLog;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.tck.FakeDevice;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class StagingTest {

  private final FakeDevice device = new FakeDevice(Device.of("fake", 0));
  private final StingyAccess access = new StingyAccess(device);
  private final Devices devices = Devices.of(List.of(access));
  private final AtomicLong nanoTime = new AtomicLong(Long.MAX_VALUE - 5);
  private final Staging staging = new Staging(devices, nanoTime::get);

  private TcpMemory memory(int key) {
    return new TcpMemory(
        new MemoryKey(key, key), device.allocate(100), Access.LOCAL, devices, staging);
  }

  @Test
  void thereAreSoManyAndNoMore() {
    TcpMemory memory = memory(1);
    List<Staged> taken = new ArrayList<>();
    for (Staged next; (next = memory.stage()) != null; ) {
      assertThat(taken).doesNotContain(next);
      taken.add(next);
    }
    assertThat(taken).hasSize(64);
    // In another order than they were taken in.
    taken.removeLast().drop();
    taken.removeFirst().drop();
    taken.remove(taken.size() / 2).drop();
    List<Staged> again = new ArrayList<>();
    for (Staged next; (next = memory.stage()) != null; ) {
      assertThat(taken).doesNotContain(next);
      again.add(next);
    }
    assertThat(again).hasSize(3);
    taken.addAll(again);
    taken.forEach(Staged::drop);
  }

  @Test
  void oneThatHasFailedIsNotUsedAgain() {
    TcpMemory memory = memory(1);
    Staged failed = Objects.requireNonNull(memory.stage());
    device.free(memory.deviceMemory());
    failed.fetch(0, 10);
    assertThat(failed.await()).isNotNull();
    failed.drop();
    TcpMemory other = memory(2);
    Staged next = Objects.requireNonNull(other.stage());
    assertThat(next).isNotSameAs(failed);
    next.fetch(0, 10);
    assertThat(next.await()).isNull();
    next.drop();
  }

  @Test
  void onlyWhatIsOfTheMemoryIsWaitedFor() {
    TcpMemory memory = memory(1);
    TcpMemory other = memory(2);
    Staged ofMemory = Objects.requireNonNull(memory.stage());
    Staged ofOther = Objects.requireNonNull(other.stage());
    ofMemory.fetch(0, 10);
    ofOther.fetch(0, 10);
    memory.quiet();
    assertThat(device.copies()).isEqualTo(1);
    other.quiet();
    assertThat(device.copies()).isEqualTo(2);
    ofMemory.drop();
    ofOther.drop();
  }

  /** Or memory would be taken for quiet to which the first copy goes on. */
  @Test
  void whatWasBegunIsWaitedForAlsoWhenMoreIsRefused() {
    RefusingBuffer buffer = new RefusingBuffer(Staging.BYTES);
    Staged staged = new Staged(staging, buffer);
    staged.begin(memory(1), 0);
    staged.store(0, 10);
    assertThatThrownBy(() -> staged.store(10, 10)).hasMessageContaining("no more");
    assertThat(staged.await()).isNull();
    assertThat(buffer.awaits).isEqualTo(1);
  }

  /** Such as when no more memory may be pinned just now. */
  @Test
  void whoHasRefusedOneIsAskedAgainAfterASecond() {
    TcpMemory memory = memory(1);
    access.isRefusing = true;
    assertThat(memory.stage()).isNull();
    assertThat(memory.stage()).isNull();
    nanoTime.addAndGet(999_999_999);
    assertThat(memory.stage()).isNull();
    assertThat(access.asked).isEqualTo(1);
    nanoTime.addAndGet(1);
    assertThat(memory.stage()).isNull();
    assertThat(access.asked).isEqualTo(2);
    access.isRefusing = false;
    assertThat(memory.stage()).as("within the next second").isNull();
    nanoTime.addAndGet(1_000_000_000);
    Staged first = Objects.requireNonNull(memory.stage());
    Staged second = Objects.requireNonNull(memory.stage());
    first.drop();
    second.drop();
  }

  @Test
  void whatThereIsGoesOnWhileMoreIsRefused() {
    TcpMemory memory = memory(1);
    Staged only = Objects.requireNonNull(memory.stage());
    access.isRefusing = true;
    assertThat(memory.stage()).isNull();
    only.drop();
    Staged again = Objects.requireNonNull(memory.stage());
    assertThat(again).isSameAs(only);
    again.drop();
  }

  @Test
  void aSpellOfRefusalsIsSaidOnce() {
    TcpMemory memory = memory(1);
    List<Staged> taken = new ArrayList<>();
    try (CapturedLog log = new CapturedLog()) {
      for (int spell = 1; spell <= 2; spell++) {
        access.isRefusing = true;
        for (int i = 0; i < 3; i++) {
          assertThat(memory.stage()).isNull();
          nanoTime.addAndGet(1_000_000_000);
        }
        assertThat(log.lines("fake:0"))
            .hasSize(spell)
            .last()
            .asString()
            .contains("no more memory may be pinned");
        access.isRefusing = false;
        taken.add(Objects.requireNonNull(memory.stage()));
      }
    }
    taken.forEach(Staged::drop);
  }

  @Test
  void closedItHasNone() {
    TcpMemory memory = memory(1);
    Staged used = Objects.requireNonNull(memory.stage());
    staging.close();
    assertThat(memory.stage()).isNull();
    used.drop();
    assertThat(memory.stage()).isNull();
  }
}
