package io.reactivetransfer.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import io.reactivetransfer.control.Transport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two engines whose regions are revoked again and again while many writes go into them: what is
 * reported as done is there, and no connection is lost. A quarter of a second of each in a usual
 * build; {@code -Dreactivetransfer.tcp.revocation.millis=60000} for longer.
 */
class RevocationLoadTest {

  private static final Duration DURATION =
      Duration.ofMillis(Long.getLong("reactivetransfer.tcp.revocation.millis", 250));

  private static final Duration LONG = Duration.ofSeconds(60);

  static Stream<Arguments> all() {
    return Stream.of(Transport.NIO, Transport.EPOLL)
        .filter(transport -> transport != Transport.EPOLL || Epoll.isAvailable())
        .flatMap(transport ->
            Stream.of(1, 2)
                .flatMap(nics ->
                    Stream.of(1, 2).map(directions -> Arguments.of(transport, nics, directions))));
  }

  @ParameterizedTest(name = "{0}, NICs: {1}, directions: {2}")
  @MethodSource("all")
  @Timeout(600)
  void whatIsReportedAsDoneIsThere(Transport transport, int nics, int directions) {
    try (RevocationLoad.Side one = new RevocationLoad.Side(transport, nics);
        RevocationLoad.Side other = new RevocationLoad.Side(transport, nics)) {
      List<RevocationLoad> loads = new ArrayList<>();
      loads.add(new RevocationLoad(one, other));
      if (directions == 2) {
        loads.add(new RevocationLoad(other, one));
      }
      long end = System.nanoTime() + DURATION.toNanos();
      long most = end + LONG.toNanos();
      // A busy machine may have met none in the time that is enough else.
      while (System.nanoTime() - end < 0
          || loads.stream().anyMatch(load -> load.refused() == 0) && System.nanoTime() - most < 0) {
        loads.forEach(RevocationLoad::revokeInItsMidst);
      }
      loads.forEach(RevocationLoad::stop);
      for (RevocationLoad load : loads) {
        System.out.println(transport + ", NICs: " + nics + ", of " + directions + ": " + load);
        assertThat(load.faults()).isEmpty();
        assertThat(load.done()).isPositive();
        assertThat(load.refused()).as("writes that were met by a revocation").isPositive();
      }
    }
  }
}
