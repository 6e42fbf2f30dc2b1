package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.FakeConnection;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.tck.driver.TwoNics;
import java.lang.foreign.Arena;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What both ends of a connection are told when they are connected. */
@Timeout(30)
class ConnectionSettingsTest {

  private static final int LENGTH = 100;
  private static final int CONNECTIONS = 6;

  private final FakeVerbs fake = new FakeVerbs(2);

  /** Connects so many times: a key that has ended costs its connection. */
  private List<FakeConnection> connect(int times) {
    TwoNics nics = FakeNics.open(fake, fake);
    try (Arena arena = Arena.ofShared()) {
      LocalMemory source = nics.source(arena.allocate(LENGTH));
      LocalMemory local = nics.openToOrigin(arena.allocate(LENGTH));
      for (int i = 1; i <= times; i++) {
        RemoteMemory before = nics.named(local, LENGTH);
        nics.write(source, before, 1, any -> 0, LENGTH, true);
        if (i < times) {
          local = TwoNics.join(nics.target().revoke(local));
          nics.write(source, before, 1, any -> 0, LENGTH, true);
        }
      }
      assertThat(nics.atTarget().count("imm")).isEqualTo(times);
      nics.close();
    }
    assertThat(fake.mistakes()).isEmpty();
    return fake.connections();
  }

  private static List<FakeConnection> of(int device, List<FakeConnection> connections) {
    return connections.stream().filter(each -> each.device() == device).toList();
  }

  @ParameterizedTest
  @CsvSource({"3, 5", "5, 3", "4, 4", "1, 2"})
  void theSmallerOfTwoPacketSizesIsThatOfBothEnds(int origin, int target) {
    fake.mtu(0, origin);
    fake.mtu(1, target);
    assertThat(connect(1))
        .hasSize(2)
        .allSatisfy(each -> assertThat(each.mtu()).isEqualTo(Math.min(origin, target)));
  }

  @Test
  void packetsAreNumberedFromElsewhereInEachConnection() {
    List<FakeConnection> all = connect(CONNECTIONS);
    List<FakeConnection> atOrigin = of(0, all);
    List<FakeConnection> atTarget = of(1, all);
    assertThat(atOrigin).hasSize(CONNECTIONS);
    assertThat(atTarget).hasSize(CONNECTIONS);
    assertThat(Stream.concat(atOrigin.stream(), atTarget.stream()).map(FakeConnection::sentPsn))
        .doesNotHaveDuplicates()
        .allSatisfy(psn -> assertThat(psn).isBetween(0, (1 << 24) - 1));
    for (int i = 0; i < CONNECTIONS; i++) {
      assertThat(atTarget.get(i).receivedPsn()).isEqualTo(atOrigin.get(i).sentPsn());
      assertThat(atOrigin.get(i).receivedPsn()).isEqualTo(atTarget.get(i).sentPsn());
    }
  }

  /** Of the settings with 1 ms and 6 retries: 4.096 us times 2 to the power of 8 is 1.05 ms. */
  @Test
  void bothEndsHaveTheTimesThatWereSetAndWaitForReceivesForEver() {
    assertThat(FakeNics.settings().timing()).isEqualTo(new AckTiming(8, 6));
    assertThat(connect(1))
        .hasSize(2)
        .allSatisfy(each -> {
          assertThat(each.timeout()).as("timeout").isEqualTo(8);
          assertThat(each.retries()).as("retry_cnt").isEqualTo(6);
          assertThat(each.rnrRetries()).as("rnr_retry, 7 is for ever").isEqualTo(7);
          assertThat(each.minRnrTimer()).as("min_rnr_timer, 1 is 10 us").isEqualTo(1);
          assertThat(each.mtu()).as("path_mtu").isEqualTo(Ib.IBV_MTU_4096);
        });
  }
}
