package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.ibverbs.ffi.Gid;
import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections are found by their numbers, whatever the numbers are. */
class ConnectionTableTest {

  private final Arena arena = Arena.ofConfined();
  private final SendSlots slots = new SendSlots(arena, 1);
  private final ConnectionTable table = new ConnectionTable();
  private long serial;

  @AfterEach
  void free() {
    arena.close();
  }

  private Connection numbered(int number) {
    VerbsAddress address = new VerbsAddress(2, 5, 0, new Gid(0, 1));
    VerbsPeer peer = new VerbsPeer(new EngineId(1, 1), address, slots);
    Connection made = new Connection(peer, ++serial, slots);
    made.number = number;
    return made;
  }

  @Test
  void whatWasNotPutIsNotFound() {
    assertThat(table.get(0)).isNull();
    table.put(numbered(1));
    assertThat(table.get(0)).isNull();
    assertThat(table.get(17)).isNull();
  }

  @Test
  void aNumberThatIsGivenAgainIsThatOfTheLaterOne() {
    Connection first = numbered(5);
    Connection later = numbered(5);
    table.put(first);
    table.put(later);
    assertThat(table.get(5)).isSameAs(later);
    table.remove(first);
    assertThat(table.get(5)).isSameAs(later);
    table.remove(later);
    assertThat(table.get(5)).isNull();
  }

  @Test
  void itHasWhatAMapHas() {
    Random random = new Random(1);
    Map<Integer, Connection> map = new HashMap<>();
    for (int i = 0; i < 20_000; i++) {
      int number = random.nextInt(300) << (i % 8);
      Connection present = map.get(number);
      if (present != null && random.nextBoolean()) {
        table.remove(present);
        map.remove(number);
      } else {
        Connection made = numbered(number);
        table.put(made);
        map.put(number, made);
      }
      int looked = random.nextInt(300) << (i % 8);
      assertThat(table.get(looked)).isSameAs(map.get(looked));
    }
    map.forEach((number, connection) -> assertThat(table.get(number)).isSameAs(connection));
  }
}
