package io.reactivetransfer.ibverbs;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.ibverbs.ffi.Verbs;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.tck.driver.TwoNics;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;

/** Opens NICs on the two ports of a fake of the library. */
final class FakeNics {

  private static final int DEPTH = 64;
  private static final Duration CONNECT_TIMEOUT = Duration.ofMillis(500);
  private static final Duration ACK_TIMEOUT = Duration.ofMillis(1);

  private FakeNics() {}

  /**
   * Opens them.
   *
   * @param search with these calls the ports are looked for
   * @param verbs and with these the NICs work
   */
  static TwoNics open(Verbs search, Verbs verbs) {
    AckTiming timing = AckTiming.of(ACK_TIMEOUT, 6);
    VerbsSettings settings = new VerbsSettings(List.of(), OptionalInt.empty(), timing);
    List<Port> ports = PortFinder.find(search, settings).ports();
    return TwoNics.open(engine -> {
      OpenContext context =
          OpenContext.builder(new EngineId(engine, engine), 0, () -> {})
              .nicDepth(DEPTH)
              .connectTimeout(CONNECT_TIMEOUT)
              .build();
      Port port = ports.get((int) engine - 1);
      return VerbsDomain.open(verbs, port, timing, new Random(engine), context);
    });
  }
}
