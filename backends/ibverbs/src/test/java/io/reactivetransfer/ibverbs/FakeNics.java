package io.reactivetransfer.ibverbs;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.ibverbs.ffi.Verbs;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.tck.driver.TwoNics;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.Random;

/** Opens NICs on the two ports of a fake of the library. */
final class FakeNics {

  private static final int DEPTH = 64;

  /** Longer than a busy machine takes; what is about peers that never connect says less. */
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  /** For those in which a call fails, so that one of the two may wait for the other in vain. */
  static final Duration SHORT_CONNECT_TIMEOUT = Duration.ofMillis(300);

  private static final Duration ACK_TIMEOUT = Duration.ofMillis(1);

  private FakeNics() {}

  /**
   * Opens them.
   *
   * @param search with these calls the ports are looked for
   * @param verbs and with these the NICs work
   */
  static TwoNics open(Verbs search, Verbs verbs) {
    return open(search, verbs, CONNECT_TIMEOUT);
  }

  /** The same, where a peer may take so long to connect. */
  static TwoNics open(Verbs search, Verbs verbs, Duration connectTimeout) {
    return open(verbs, PortFinder.find(search, settings()).ports(), connectTimeout);
  }

  /** What they are opened with, on these devices. */
  static VerbsSettings settings(String... devices) {
    return new VerbsSettings(
        List.of(devices), OptionalInt.empty(), AckTiming.of(ACK_TIMEOUT, 6), new Priority(3, 104));
  }

  /** Opens one on each of the first two of these ports. */
  static TwoNics open(Verbs verbs, List<Port> ports, Duration connectTimeout) {
    return open(verbs, ports, connectTimeout, Devices.none());
  }

  /** Opens them where there are accelerators. */
  static TwoNics open(Verbs search, Verbs verbs, Devices devices) {
    return open(verbs, PortFinder.find(search, settings()).ports(), CONNECT_TIMEOUT, devices);
  }

  /** Opens them where a NIC that can do nothing any more may take so long to be shut. */
  static TwoNics openToBeShutWithin(Verbs search, Verbs verbs, Duration mostShutting) {
    List<Port> ports = PortFinder.find(search, settings()).ports();
    return open(verbs, ports, CONNECT_TIMEOUT, Devices.none(), mostShutting.toNanos());
  }

  private static TwoNics open(
      Verbs verbs, List<Port> ports, Duration connectTimeout, Devices devices) {
    return open(verbs, ports, connectTimeout, devices, BrokenNic.MOST_SHUTTING_NANOS);
  }

  private static TwoNics open(
      Verbs verbs,
      List<Port> ports,
      Duration connectTimeout,
      Devices devices,
      long mostShuttingNanos) {
    return TwoNics.open(engine -> {
      OpenContext context =
          OpenContext.builder(new EngineId(engine, engine), 0, () -> {})
              .nicDepth(DEPTH)
              .connectTimeout(connectTimeout)
              .devices(devices)
              .build();
      Port port = ports.get((int) engine - 1);
      Random random = new Random(engine);
      return VerbsDomain.open(verbs, port, settings(), random, context, mostShuttingNanos);
    });
  }
}
