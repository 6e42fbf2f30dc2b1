package io.reactivetransfer.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FlightQueueTest {

  private static final class Stream implements FlightQueue.Stream {
    private FlightQueue.@Nullable Lane lane;
    private boolean spread;

    @Override
    public FlightQueue.@Nullable Lane lane() {
      return lane;
    }

    @Override
    public void lane(FlightQueue.@Nullable Lane waiting) {
      lane = waiting;
    }

    @Override
    public boolean isSpread() {
      return spread;
    }

    @Override
    public void spread() {
      spread = true;
    }
  }

  /** The flights of one stream. */
  private record Waiting(Stream stream, List<Flight> flights) {}

  private final FlightQueue queue = new FlightQueue();
  private final List<Waiting> model = new ArrayList<>();

  private void add(Flight flight, Stream stream) {
    queue.add(flight, stream);
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

  /** A list of lists does the same, whatever is done to it, and whoever else is written to. */
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 5})
  void streamsTakeTurnsAndSoDoTheirFlights(int streams) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<Flight> flights = IntStream.range(0, 12).mapToObj(Flight::new).toList();
    List<Stream> owners = IntStream.range(0, streams).mapToObj(_ -> new Stream()).toList();
    FlightQueue another = new FlightQueue();
    Flight[] elsewhere = {null};
    for (int step = 0; step < 20_000; step++) {
      Flight flight = flights.get(random.nextInt(flights.size()));
      switch (random.nextInt(6)) {
        case 0, 1 -> {
          if (!waits(flight)) {
            add(flight, owners.get(random.nextInt(streams)));
          }
        }
        case 2 -> remove(flight);
        case 3 -> {
          if (elsewhere[0] == null) {
            elsewhere[0] = new Flight(99);
            another.add(elsewhere[0], owners.get(random.nextInt(streams)));
          }
        }
        case 4 -> {
          if (elsewhere[0] != null) {
            another.remove(elsewhere[0]);
            elsewhere[0] = null;
          }
        }
        default -> rotate();
      }
      assertThat(queue.peek())
          .as("seed %d, step %d", seed, step)
          .isSameAs(model.isEmpty() ? null : model.getFirst().flights.getFirst());
      assertThat(queue.isEmpty()).isEqualTo(model.isEmpty());
    }
  }
}
