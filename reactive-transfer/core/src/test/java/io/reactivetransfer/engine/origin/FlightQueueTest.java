package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.TestParts;
import java.util.ArrayList;
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
    for (Waiting lane : model) {
      if (lane.stream == stream) {
        lane.flights.add(flight);
        return;
      }
    }
    model.add(new Waiting(stream, new ArrayList<>(List.of(flight))));
  }

  private void remove(Flight flight) {
    queue.remove(flight); // also when it is not there
    model.forEach(lane -> lane.flights.remove(flight));
    model.removeIf(lane -> lane.flights.isEmpty());
  }

  private void rotate() {
    if (!model.isEmpty()) {
      queue.rotate(queue.peek());
      Waiting first = model.removeFirst();
      first.flights.add(first.flights.removeFirst());
      model.add(first);
    }
  }

  private boolean waits(Flight flight) {
    return model.stream().anyMatch(lane -> lane.flights.contains(flight));
  }

  /** A list of lists does the same, whatever is done to it. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void streamsTakeTurnsAndSoDoTheirFlights(int streams) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<Flight> flights = IntStream.range(0, 12).mapToObj(Flight::new).toList();
    List<Run> owners = IntStream.range(0, streams).mapToObj(_ -> newStream()).toList();
    for (int step = 0; step < 20_000; step++) {
      Flight flight = flights.get(random.nextInt(flights.size()));
      switch (random.nextInt(4)) {
        case 0, 1 -> {
          if (!waits(flight)) {
            add(flight, owners.get(random.nextInt(streams)));
          }
        }
        case 2 -> remove(flight);
        default -> rotate();
      }
      assertThat(queue.peek())
          .as("seed %d, step %d", seed, step)
          .isSameAs(model.isEmpty() ? null : model.getFirst().flights.getFirst());
      assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
    }
  }
}
