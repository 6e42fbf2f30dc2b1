package io.reactivetransfer.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The layers, and for each all that it may know besides itself, the JDK and the nullness
 * annotations.
 */
enum Layer {
  API("io.reactivetransfer", Known.REACTOR),
  SPI("io.reactivetransfer.spi..", Known.API),
  ENGINE("io.reactivetransfer.engine..", Known.API, Known.SPI, Known.REACTOR, Known.JCTOOLS),
  KV_CACHE("io.reactivetransfer.kvcache..", Known.API, Known.REACTOR),
  WEIGHTS("io.reactivetransfer.weights..", Known.API, Known.SPI, Known.REACTOR, Known.JSON),
  MOE("io.reactivetransfer.moe..", Known.API, Known.SPI, Known.REACTOR),
  MICROMETER(
      "io.reactivetransfer.micrometer..",
      Known.API,
      Known.KV_CACHE,
      Known.MOE,
      Known.WEIGHTS,
      Known.REACTOR,
      Known.MICROMETER),
  JFR("io.reactivetransfer.jfr..", Known.API, Known.FLIGHT_RECORDER),
  CONFIG(
      "io.reactivetransfer.config..",
      Known.API,
      Known.SPI,
      Known.ENGINE,
      Known.CONTROL,
      Known.BACKENDS,
      Known.SMALLRYE),
  SPRING(
      "io.reactivetransfer.spring..",
      Known.API,
      Known.SPI,
      Known.ENGINE,
      Known.CONTROL,
      Known.CONFIG,
      Known.METERS,
      Known.KV_CACHE,
      Known.MOE,
      Known.WEIGHTS,
      Known.REACTOR,
      Known.NETTY,
      Known.MICROMETER,
      Known.SPRING),
  MEMBERSHIP("io.reactivetransfer.membership", Known.API, Known.REACTOR),
  MEMBERSHIP_DNS(
      "io.reactivetransfer.membership.dns..",
      Known.API,
      Known.MEMBERSHIP,
      Known.REACTOR,
      Known.NETTY),
  MEMBERSHIP_ETCD(
      "io.reactivetransfer.membership.etcd..",
      Known.API,
      Known.MEMBERSHIP,
      Known.REACTOR,
      Known.JSON,
      Known.ETCD),
  MEMBERSHIP_KUBERNETES(
      "io.reactivetransfer.membership.kubernetes..",
      Known.API,
      Known.MEMBERSHIP,
      Known.REACTOR,
      Known.KUBERNETES),
  LOOPBACK("io.reactivetransfer.loopback..", Known.API, Known.SPI, Known.JCTOOLS),
  CONTROL(
      "io.reactivetransfer.control..",
      Known.API,
      Known.SPI,
      Known.REACTOR,
      Known.NETTY,
      Known.JCTOOLS),
  TCP("io.reactivetransfer.tcp..", Known.API, Known.SPI, Known.CONTROL, Known.REACTOR, Known.NETTY),
  FFM("io.reactivetransfer.ffm..", Known.API, Known.SPI, Known.LOGGING),
  STAGING("io.reactivetransfer.staging..", Known.API, Known.SPI, Known.LOGGING, Known.BLOCKHOUND),
  LIBFABRIC(
      "io.reactivetransfer.libfabric..",
      Known.API,
      Known.SPI,
      Known.CONTROL,
      Known.FFM,
      Known.STAGING,
      Known.LOGGING),
  IBVERBS(
      "io.reactivetransfer.ibverbs..",
      Known.API,
      Known.SPI,
      Known.CONTROL,
      Known.FFM,
      Known.LOGGING,
      Known.BLOCKHOUND),
  CUDA("io.reactivetransfer.cuda..", Known.API, Known.SPI, Known.FFM, Known.REACTOR, Known.JCUDA),
  TCK(
      "io.reactivetransfer.tck..",
      Known.API,
      Known.SPI,
      Known.ENGINE,
      Known.REACTOR,
      Known.ALLOCATIONS,
      Known.TESTING),
  SIMULATED_NETWORK(
      "io.reactivetransfer.simulation.network..", Known.API, Known.SPI, Known.REACTOR),
  SIMULATION(
      "io.reactivetransfer.simulation",
      Known.API,
      Known.SPI,
      Known.ENGINE,
      Known.NETWORK,
      Known.REACTOR),
  SIMULATED_KV_CACHE(
      "io.reactivetransfer.simulation.kvcache..",
      Known.API,
      Known.SPI,
      Known.ENGINE,
      Known.NETWORK,
      Known.SIMULATION,
      Known.KV_CACHE,
      Known.REACTOR),
  SIMULATED_WEIGHTS(
      "io.reactivetransfer.simulation.weights..",
      Known.API,
      Known.SPI,
      Known.ENGINE,
      Known.NETWORK,
      Known.SIMULATION,
      Known.WEIGHTS,
      Known.REACTOR),
  TOOLS("io.reactivetransfer.tools..", Known.ANYTHING),
  EXAMPLES("io.reactivetransfer.examples..", Known.ANYTHING);

  final String classes;
  private final List<String> allowed = new ArrayList<>();

  Layer(String classes, String[]... known) {
    this.classes = classes;
    allowed.add(classes);
    allowed.addAll(List.of(Known.EVERYWHERE));
    Stream.of(known).flatMap(Stream::of).forEach(allowed::add);
  }

  String[] allowed() {
    return allowed.toArray(String[]::new);
  }

  static String[] all() {
    return Stream.of(values()).map(layer -> layer.classes).toArray(String[]::new);
  }

  private static final class Known {
    static final String[] EVERYWHERE = {"java..", "javax..", "jdk..", "org.jspecify.."};
    static final String[] API = {"io.reactivetransfer"};
    static final String[] SPI = {"io.reactivetransfer.spi.."};
    static final String[] ENGINE = {"io.reactivetransfer.engine.."};
    static final String[] NETWORK = {"io.reactivetransfer.simulation.network.."};
    static final String[] SIMULATION = {"io.reactivetransfer.simulation"};
    static final String[] KV_CACHE = {"io.reactivetransfer.kvcache.."};
    static final String[] WEIGHTS = {"io.reactivetransfer.weights.."};
    static final String[] MOE = {"io.reactivetransfer.moe.."};
    static final String[] MEMBERSHIP = {"io.reactivetransfer.membership"};
    static final String[] REACTOR = {"reactor..", "org.reactivestreams.."};
    static final String[] CONTROL = {"io.reactivetransfer.control.."};
    static final String[] FFM = {"io.reactivetransfer.ffm.."};
    static final String[] STAGING = {"io.reactivetransfer.staging.."};

    /** Reactor's front of whatever logging there is, and nothing else of Reactor. */
    static final String[] LOGGING = {"reactor.util"};

    /** For the class that tells BlockHound what may block. */
    static final String[] BLOCKHOUND = {"reactor.blockhound.."};

    /** Those that listen, and that are set up by properties. */
    static final String[] BACKENDS = {
      "io.reactivetransfer.tcp", "io.reactivetransfer.libfabric", "io.reactivetransfer.ibverbs"
    };

    static final String[] METERS = {"io.reactivetransfer.micrometer"};
    static final String[] CONFIG = {"io.reactivetransfer.config"};
    static final String[] SMALLRYE = {"io.smallrye.config..", "org.eclipse.microprofile.config.."};
    static final String[] SPRING = {"org.springframework.."};
    static final String[] MICROMETER = {
      "io.micrometer.core..", "io.micrometer.common..", "io.micrometer.observation.."
    };
    static final String[] FLIGHT_RECORDER = {"jdk.jfr.."};
    static final String[] ETCD = {"io.etcd.jetcd..", "io.grpc.."};
    static final String[] KUBERNETES = {"io.fabric8.kubernetes.."};
    static final String[] JCUDA = {"jcuda.."};
    static final String[] JCTOOLS = {"org.jctools.."};
    static final String[] NETTY = {"io.netty.."};
    static final String[] JSON = {"com.fasterxml.jackson.core.."};

    /** What the JDK counts of the memory that a thread allocates. */
    static final String[] ALLOCATIONS = {"com.sun.management"};

    static final String[] TESTING = {
      "org.junit..", "org.opentest4j..", "org.assertj..", "org.testng.."
    };
    static final String[] ANYTHING = {"*.."};
  }
}
