package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Writes of up to 64 bytes are copied when they are posted, by whatever the device can do. */
@Timeout(30)
class ShortWritesTest {

  private static final int LENGTH = 100;
  private static final int COPIED = 64;

  private final FakeVerbs fake = new FakeVerbs(2);

  private static MemorySegment filled(Arena arena, int value) {
    return arena.allocate(LENGTH).fill((byte) value);
  }

  @ParameterizedTest
  @CsvSource({"256, false", "40, false", "40, true", "0, false", "0, true"})
  void comeWhateverTheDeviceCopiesItself(int mostInline, boolean refusesMore) {
    fake.inline(mostInline, refusesMore);
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(filled(arena, 7));
      for (int length : new int[] {1, 39, 40, 41, COPIED, COPIED + 1}) {
        MemorySegment to = arena.allocate(LENGTH);
        nics.write(source, nics.named(nics.openToOrigin(to), LENGTH), 1, i -> 0, length, true);
        assertThat(to.mismatch(filled(arena, 7))).as("bytes of %s", length).isEqualTo(length);
      }
      assertThat(nics.atOrigin().count("written")).isEqualTo(6);
      nics.close();
    }
    assertThat(fake.open()).isEmpty();
    assertThat(fake.mistakes()).isEmpty();
  }

  /** Without a mapping at its address, whoever reads it then ends the process. */
  @ParameterizedTest
  @CsvSource({"256, false", "0, true"})
  void comeAsTheyWerePostedThoughTheirSourceIsFreedBeforeTheFlush(
      int mostInline, boolean refusesMore) {
    fake.inline(mostInline, refusesMore);
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      MemorySegment to = arena.allocate(LENGTH);
      RemoteMemory target = nics.named(nics.openToOrigin(to), LENGTH);
      nics.write(nics.source(arena.allocate(LENGTH)), target, 1, i -> 0, 1, false);
      Operation op = new Operation().range(0, 0, COPIED).withoutImm().token(100);
      try (Arena freed = Arena.ofShared()) {
        MemorySegment bytes = filled(freed, 7);
        LocalMemory source = nics.source(bytes);
        assertThat(nics.origin().post(op.between(source, target)).isTaken()).isTrue();
        bytes.fill((byte) 9);
      }
      nics.origin().flush();
      nics.until("a report", () -> nics.atOrigin().reportsOf(100) > 0);
      assertThat(nics.atOrigin().reports()).contains("written 100");
      assertThat(to.get(ValueLayout.JAVA_BYTE, COPIED - 1)).isEqualTo((byte) 7);
      nics.close();
    }
    assertThat(fake.mistakes()).isEmpty();
  }

  @Test
  void areRefusedWhoseSourceWasFreedBefore() {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      RemoteMemory target = nics.named(nics.openToOrigin(arena.allocate(LENGTH)), LENGTH);
      nics.write(nics.source(arena.allocate(LENGTH)), target, 1, i -> 0, 1, false);
      LocalMemory source;
      try (Arena freed = Arena.ofShared()) {
        source = nics.source(freed.allocate(LENGTH));
      }
      Operation op = new Operation().between(source, target).withoutImm();
      assertThat(nics.origin().post(op.range(0, 0, COPIED).token(100)).isTaken()).isTrue();
      assertThat(nics.origin().post(op.range(0, 0, LENGTH).token(101)).isTaken()).isTrue();
      nics.until("reports", () -> nics.atOrigin().reportsOf(101) > 0);
      assertThat(nics.atOrigin().reports()).contains("refused 100", "refused 101");
      nics.close();
    }
    assertThat(fake.mistakes()).isEmpty();
  }
}
