package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FlightQueueTest {

  private final FlightQueue queue = new FlightQueue();

  /** The same as a list, whatever is done to it. */
  @Test
  void keepsTheOrderOfAList() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<Flight> all = IntStream.range(0, 12).mapToObj(Flight::new).toList();
    List<Flight> model = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      Flight flight = all.get(random.nextInt(all.size()));
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          if (!model.contains(flight)) {
            queue.add(flight);
            model.add(flight);
          }
        }
        case 2 -> {
          queue.remove(flight); // also when it is not there
          model.remove(flight);
        }
        default -> {
          if (!model.isEmpty()) {
            Flight first = queue.peek();
            queue.rotate(first);
            model.add(model.removeFirst());
          }
        }
      }
      assertThat(contents()).as("seed %d, step %d", seed, step).isEqualTo(model);
      assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
    }
  }

  private List<Flight> contents() {
    List<Flight> found = new ArrayList<>();
    for (Flight flight = queue.peek(); flight != null; flight = flight.following) {
      found.add(flight);
    }
    return found;
  }
}
