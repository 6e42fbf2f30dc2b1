package io.reactivetransfer.config;

import io.reactivetransfer.ClusterSecrets;
import io.reactivetransfer.control.ControlBuilder;
import io.reactivetransfer.control.ListeningBuilder;
import io.reactivetransfer.ibverbs.IbverbsBackend;
import io.reactivetransfer.libfabric.LibfabricBackend;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tcp.TcpBackend;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Makes backends that listen. Each has a class of its own, which is loaded only if the backend is
 * on the class path.
 */
final class Listening {

  private Listening() {}

  /** Over sockets. */
  static final class OverTcp {

    private OverTcp() {}

    static Backend of(
        PropertySource from,
        Encryption encryption,
        Consumer<SecretFiles> files,
        PropertyCheck check) {
      TcpBackend.Builder builder = TcpBackend.builder();
      check.set("host", from.text("host"), builder::host);
      check.set("port", from.number("port"), builder::port);
      check.set("advertised-host", from.text("advertised-host"), builder::advertisedHost);
      letIn(builder, from, encryption, files, check);
      return build(builder::build, check);
    }
  }

  /** Through libfabric. */
  static final class OverLibfabric {

    private OverLibfabric() {}

    static Backend of(
        PropertySource from,
        Encryption encryption,
        Consumer<SecretFiles> files,
        PropertyCheck check) {
      LibfabricBackend.Builder builder = LibfabricBackend.builder();
      listen(builder, from, check);
      letIn(builder, from, encryption, files, check);
      return build(builder::build, check);
    }
  }

  /** Through libibverbs. */
  static final class OverIbverbs {

    private OverIbverbs() {}

    static Backend of(
        PropertySource from,
        Encryption encryption,
        Consumer<SecretFiles> files,
        PropertyCheck check) {
      IbverbsBackend.Builder builder = IbverbsBackend.builder();
      listen(builder, from, check);
      letIn(builder, from, encryption, files, check);
      return build(builder::build, check);
    }
  }

  private static void listen(ControlBuilder<?> builder, PropertySource from, PropertyCheck check) {
    check.set("host", from.text("host"), builder::host);
    check.set("port", from.number("port"), builder::port);
    check.set("advertised-host", from.text("advertised-host"), builder::advertised);
  }

  private static void letIn(
      ListeningBuilder<?> builder,
      PropertySource from,
      Encryption encryption,
      Consumer<SecretFiles> files,
      PropertyCheck check) {
    Secrets secrets = Secrets.read(from, check);
    ClusterSecrets valid = secrets.valid();
    if (valid != null) {
      builder.secrets(valid);
    }
    boolean without = from.flag(BackendProperties.WITHOUT_SECRET);
    if (valid != null && without) {
      throw check.refused(
          BackendProperties.WITHOUT_SECRET, "expected false beside a secret, got true", null);
    }
    if (without) {
      builder.withoutSecret();
    }
    encryption.encrypt(builder, from, check);
    if (secrets.files() != null) {
      files.accept(secrets.files());
    }
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
