package io.reactivetransfer.engine.origin;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.TestParts;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.engine.memory.ResolvedRegion;
import io.reactivetransfer.engine.peers.PeerLink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FlightTableTest {

  private final TestParts parts = new TestParts();
  private final PeerLink peer = parts.peer(EngineByHand.addressOf(1));
  private final Submission submission =
      new Submission(
          parts.streams(), new StreamState(), new Window(1), new Results.Done<>(), null, 0);
  private final FlightTable table = new FlightTable();
  private final RegisteredRegion source = parts.region();

  private Flight take() {
    Flight flight = begin(Outbound.to(peer));
    flight.cutWrite(1, 1, -1);
    return flight;
  }

  private Flight begin(Outbound to) {
    return table.begin(table.run(submission, source, to.doorbell), 0);
  }

  @Test
  void findsWhatIsOnItsWayAndNothingElse() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    Map<Long, Flight> live = new HashMap<>();
    List<Long> dead = new ArrayList<>();
    for (int step = 0; step < 20_000; step++) {
      if (live.isEmpty() || random.nextInt(100) < 55 && live.size() < 500) {
        Flight flight = take();
        assertThat(live).as("seed %d", seed).doesNotContainKey(flight.token(0));
        live.put(flight.token(0), flight);
      } else {
        long token = live.keySet().iterator().next();
        table.release(live.remove(token));
        dead.add(token);
      }
      assertThat(table.inUse()).isEqualTo(live.size());
      if (step % 500 == 0) {
        live.forEach((token, flight) -> assertThat(table.find(token)).isSameAs(flight));
        dead.forEach(token -> assertThat(table.find(token)).as("seed %d", seed).isNull());
      }
    }
    assertThat(inLane()).containsExactlyInAnyOrderElementsOf(live.values());
  }

  private List<Flight> inLane() {
    List<Flight> all = new ArrayList<>();
    Lane lane = submission.lanes().to(Outbound.to(peer));
    if (lane != null) {
      for (Flight each = table.first(lane); each != null; each = table.after(each)) {
        all.add(each);
      }
    }
    return all;
  }

  /** A list for each lane does the same, whoever ends first. */
  @Test
  void lanesKeepTheOrderInWhichTheirFlightsBegan() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<Outbound> peers =
        IntStream.range(1, 5)
            .mapToObj(i -> Outbound.to(parts.peer(EngineByHand.addressOf(i))))
            .toList();
    Map<Outbound, List<Flight>> model = new HashMap<>();
    peers.forEach(each -> model.put(each, new ArrayList<>()));
    for (int step = 0; step < 20_000; step++) {
      Outbound to = peers.get(random.nextInt(peers.size()));
      List<Flight> own = model.get(to);
      if (own.isEmpty() || random.nextInt(own.size() + 1) < 3) {
        own.add(begin(to));
      } else {
        table.release(own.remove(random.nextInt(own.size())));
      }
      List<Flight> found = new ArrayList<>();
      Lane lane = submission.lanes().to(to);
      if (lane != null) {
        assertThat(lane.to()).isSameAs(to);
        for (Flight each = table.first(lane); each != null; each = table.after(each)) {
          found.add(each);
        }
      }
      assertThat(found).as("seed %d, step %d", seed, step).isEqualTo(own);
      assertThat(to.flights.isEmpty()).isEqualTo(own.isEmpty());
    }
    model.values().forEach(all -> all.forEach(table::release));
    assertThat(submission.lanes().first()).isNull();
  }

  /** Of each source, whether any flight uses it is told once, whatever its runs are. */
  @Test
  void tellsWhichSourceIsNotUsedAnyMore() {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    List<RegisteredRegion> sources = List.of(parts.region(), parts.region(), parts.region());
    List<ResolvedRegion> targets =
        List.of(Outbound.to(peer).doorbell, new ResolvedRegion(peer, null));
    Map<Flight, RegisteredRegion> model = new LinkedHashMap<>();
    Map<RegisteredRegion, Integer> runs = new HashMap<>();
    for (int step = 0; step < 20_000; step++) {
      if (model.isEmpty() || random.nextInt(model.size() + 1) < 5) {
        RegisteredRegion from = sources.get(random.nextInt(sources.size()));
        ResolvedRegion to = targets.get(random.nextInt(targets.size()));
        Run run = table.run(submission, from, to);
        Flight flight = table.begin(run, step);
        if (run.flights == 1) {
          runs.merge(from, 1, Integer::sum);
        }
        model.put(flight, from);
        assertThat(flight.place()).isEqualTo(step);
        assertThat(flight.run().isBetween(from, to)).isTrue();
      } else {
        Flight flight = new ArrayList<>(model.keySet()).get(random.nextInt(model.size()));
        RegisteredRegion from = model.remove(flight);
        RegisteredRegion unused = table.release(flight);
        if (unused != null) {
          assertThat(unused).isSameAs(from);
          runs.merge(from, -1, Integer::sum);
        }
      }
      for (RegisteredRegion each : sources) {
        assertThat(runs.getOrDefault(each, 0) > 0)
            .as("seed %d, step %d", seed, step)
            .isEqualTo(model.containsValue(each));
      }
    }
  }

  @Test
  void growsAndReusesItsSlots() {
    List<Flight> flights = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      flights.add(take());
    }
    assertThat(flights).doesNotHaveDuplicates();
    flights.forEach(table::release);
    assertThat(table.inUse()).isZero();
    for (int i = 0; i < 1_000; i++) {
      assertThat(flights).contains(take());
    }
  }

  @Test
  void isBounded() {
    assertThat(table.hasRoomFor(FlightTable.MAX_FLIGHTS)).isTrue();
    take();
    assertThat(table.hasRoomFor(FlightTable.MAX_FLIGHTS)).isFalse();
    assertThat(table.hasRoomFor(FlightTable.MAX_FLIGHTS - 1)).isTrue();
  }

  @Test
  void tokensOfNobody() {
    Flight flight = take();
    long token = flight.token(0);
    for (long wrong : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, ~token, token + 1}) {
      assertThat(table.find(wrong)).isNull();
    }
    assertThat(table.find(token)).isSameAs(flight);
  }
}
