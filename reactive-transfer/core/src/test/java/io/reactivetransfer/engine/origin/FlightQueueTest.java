package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.TestParts;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlightQueueTest {

  private static final TestParts PARTS = new TestParts();
  private static final Outbound PEER = Outbound.to(PARTS.peer(EngineByHand.addressOf(1)));

  /** The flights of one stream. */
  private record Waiting(Run stream, List<Flight> flights) {}

  private final FlightQueue queue = new FlightQueue(PEER.link.traffic(), PARTS.timers);
  private final List<Waiting> model = new ArrayList<>();

  private static Run newStream() {
    Run run = new Run();
    run.begin(new Lane(), PARTS.region(), PEER.doorbell);
    return run;
  }

  private void add(Flight flight, Run stream) {
    flight.begin(stream, 0, 0);
    queue.add(flight);
    lane(stream).addLast(flight);
  }

  private void resume(Flight flight, Run stream) {
    flight.begin(stream, 0, 0);
    queue.resume(flight);
    lane(stream).addFirst(flight);
  }

  private List<Flight> lane(Run stream) {
    for (Waiting lane : model) {
      if (lane.stream == stream) {
        return lane.flights;
      }
    }
    model.add(new Waiting(stream, new ArrayList<>()));
    return model.getLast().flights;
  }

  private void remove(Flight flight) {
    queue.remove(flight); // also when it is not there
    model.forEach(lane -> lane.flights.remove(flight));
    model.removeIf(lane -> lane.flights.isEmpty());
  }

  private void nextTurn() {
    queue.nextTurn(); // also when nobody waits
    Collections.rotate(model, -1);
  }

  private boolean waits(Flight flight) {
    return model.stream().anyMatch(lane -> lane.flights.contains(flight));
  }

  /** A list of lists does the same, whatever is done to it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void streamsTakeTurnsAndTheirFlightsKeepTheirOrder(int streams) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<Flight> flights = IntStream.range(0, 12).mapToObj(Flight::new).toList();
    List<Run> owners = IntStream.range(0, streams).mapToObj(_ -> newStream()).toList();
    for (int step = 0; step < 20_000; step++) {
      Flight flight = flights.get(random.nextInt(flights.size()));
      Run owner = owners.get(random.nextInt(streams));
      int what = random.nextInt(5);
      if (what == 0) {
        remove(flight);
      } else if (what == 1) {
        nextTurn();
      } else if (waits(flight)) {
        continue;
      } else if (what == 2) {
        resume(flight, owner);
      } else {
        add(flight, owner);
      }
      assertThat(queue.peek())
          .as("seed %d, step %d", seed, step)
          .isSameAs(model.isEmpty() ? null : model.getFirst().flights.getFirst());
      assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
    }
  }
}
