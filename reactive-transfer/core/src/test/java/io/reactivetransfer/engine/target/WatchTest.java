package io.reactivetransfer.engine.target;

import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.reactivetransfer.Change;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.Probe;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** A watched word tells what it is now, not all that it ever was. */
class WatchTest {

  @RegisterExtension final EngineByHand hand = new EngineByHand();

  private final MemorySegment word = Arena.ofAuto().allocate(8, 8);

  @BeforeEach
  void open() {
    hand.open(1);
  }

  private void set(long value) {
    word.set(ValueLayout.JAVA_LONG, 0, value);
  }

  @Test
  void tellsChangesSinceTheSubscription() {
    set(5);
    Probe<Change> probe = hand.probe(hand.engine().watch(word));
    hand.turn();
    assertThat(probe.items()).isEmpty();
    set(6);
    hand.turn();
    set(9);
    hand.turn();
    assertThat(probe.items()).containsExactly(new Change(5, 6), new Change(6, 9));
  }

  @Test
  void withoutDemandOnlyTheLastIsKept() {
    Probe<Change> probe = hand.probe(hand.engine().watch(word), new Probe<>(1));
    hand.turn();
    for (int i = 1; i <= 4; i++) {
      set(i);
      hand.turn();
    }
    assertThat(probe.items()).containsExactly(new Change(0, 1));
    probe.request(1);
    hand.turn();
    assertThat(probe.items()).containsExactly(new Change(0, 1), new Change(1, 4));
  }

  @Test
  void afterACancelNobodyLooks() {
    Probe<Change> probe = hand.probe(hand.engine().watch(word));
    hand.turn();
    probe.cancel();
    set(3);
    hand.turn();
    assertThat(probe.items()).isEmpty();
  }

  @Test
  void freedMemoryIsAnErrorAndNoCrash() {
    Arena arena = Arena.ofShared();
    Probe<Change> probe = hand.probe(hand.engine().watch(arena.allocate(8, 8)));
    hand.turn();
    arena.close();
    hand.turn();
    assertThat(probe.error()).hasMessageContaining("freed");
  }

  /** HotSpot throws an InternalError where there is no page, and perhaps only some time later. */
  @Test
  void aMappedFileThatIsCutOffEndsThatWatchOnly(@TempDir Path folder) throws IOException {
    Probe<Change> other = hand.probe(hand.engine().watch(word));
    Path file = Files.write(folder.resolve("words"), new byte[4_096]);
    try (Arena arena = Arena.ofShared();
        FileChannel channel = FileChannel.open(file, READ, WRITE)) {
      MemorySegment mapped = channel.map(MapMode.READ_WRITE, 0, 4_096, arena);
      Probe<Change> probe = hand.probe(hand.engine().watch(mapped.asSlice(64, 8)));
      hand.turn();
      channel.truncate(0);
      hand.turn();
      assertThat(probe.error()).hasMessageContaining("cut off");
    }
    set(4);
    hand.turn();
    assertThat(other.items()).containsExactly(new Change(0, 4));
  }

  @Test
  void endsWhenTheEngineCloses() {
    Probe<Change> probe = hand.probe(hand.engine().watch(word));
    hand.turn();
    hand.close();
    assertThat(probe.error()).hasMessageContaining("closed");
  }

  @Test
  void refusesWhatIsNoWord() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> hand.engine().watch(Arena.ofAuto().allocate(16, 8)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> hand.engine().watch(Arena.ofAuto().allocate(24, 8).asSlice(4, 8)));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> hand.engine().watch(MemorySegment.ofArray(new long[1])));
  }
}
