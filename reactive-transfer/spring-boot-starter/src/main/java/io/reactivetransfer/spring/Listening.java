package io.reactivetransfer.spring;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.control.ControlBuilder;
import io.reactivetransfer.control.ListeningBuilder;
import io.reactivetransfer.ibverbs.IbverbsBackend;
import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tcp.TcpBackend;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundles;

/**
 * Makes backends that listen. Each has a class of its own, which is loaded only if the backend is
 * on the class path.
 */
final class Listening {

  private Listening() {}

  /** Over sockets. */
  static final class OverTcp {

    private OverTcp() {}

    static Backend of(EngineProperties its, @Nullable SslBundles bundles, PropertyCheck check) {
      TcpBackend.Builder builder = TcpBackend.builder();
      check.set("host", its.getHost(), builder::host);
      check.set("port", its.getPort(), builder::port);
      check.set("advertised-host", its.getAdvertisedHost(), builder::advertisedHost);
      letIn(builder, its, bundles, check);
      return build(builder::build, check);
    }
  }

  /** Through libfabric. */
  static final class OverLibfabric {

    private OverLibfabric() {}

    static Backend of(EngineProperties its, @Nullable SslBundles bundles, PropertyCheck check) {
      LibfabricBackend.Builder builder = LibfabricBackend.builder();
      listen(builder, its, check);
      letIn(builder, its, bundles, check);
      return build(builder::build, check);
    }
  }

  /** Through libibverbs. */
  static final class OverIbverbs {

    private OverIbverbs() {}

    static Backend of(EngineProperties its, @Nullable SslBundles bundles, PropertyCheck check) {
      IbverbsBackend.Builder builder = IbverbsBackend.builder();
      listen(builder, its, check);
      letIn(builder, its, bundles, check);
      return build(builder::build, check);
    }
  }

  private static void listen(ControlBuilder<?> builder, EngineProperties its, PropertyCheck check) {
    check.set("host", its.getHost(), builder::host);
    check.set("port", its.getPort(), builder::port);
    check.set("advertised-host", its.getAdvertisedHost(), builder::advertised);
  }

  private static void letIn(
      ListeningBuilder<?> builder,
      EngineProperties its,
      @Nullable SslBundles bundles,
      PropertyCheck check) {
    Secrets secrets = Secrets.of(its, check);
    ClusterSecret current = secrets.current();
    ClusterSecret previous = secrets.previous();
    if (current != null && previous != null) {
      builder.secrets(current, previous);
    } else if (current != null) {
      builder.secret(current);
    }
    if (current != null && its.isWithoutSecret()) {
      throw check.refused("without-secret", "expected false beside a secret, got true", null);
    }
    if (its.isWithoutSecret()) {
      builder.withoutSecret();
    }
    check.set(
        "ssl.bundle",
        its.getSsl().getBundle(),
        name -> builder.tls(BundleTls.of(name, bundles, its.getSsl().isMutual())));
  }

  /** Each property alone is right; whether they go together is seen only now. */
  private static Backend build(Supplier<? extends Backend> build, PropertyCheck check) {
    try {
      return build.get();
    } catch (IllegalArgumentException e) {
      throw check.refused(
          "host",
          e.getMessage()
              + " (the properties for this are secret-file, without-secret and"
              + " advertised-host)",
          e);
    }
  }
}
