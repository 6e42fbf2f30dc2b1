package io.reactivetransfer.config;

import io.reactivetransfer.spi.Backend;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes backends that listen, as properties say, if they are on the class path. */
public final class BackendProperties {

  private static final List<String> LISTENING = List.of("host", "port", "advertised-host");
  private static final List<String> SECRETS =
      List.of("secret", "secret-file", "previous-secret", "previous-secret-file");
  static final String WITHOUT_SECRET = "without-secret";

  /** Those that these properties set up, each in an artifact of its own. */
  static final Set<String> LISTEN = Set.of("tcp", "libfabric", "ibverbs");

  private BackendProperties() {}

  /**
   * The backend of this name. Looks hosts up, reads files, and so may block.
   *
   * @param files is given those by which its secrets can be read again, if any came from a file
   * @return null if there is none of this name on the class path that listens
   * @throws EngineConfigurationException if a property is refused
   */
  public static @Nullable Backend listening(
      String name,
      PropertySource from,
      Encryption encryption,
      Consumer<SecretFiles> files,
      PropertyCheck check) {
    return switch (name) {
      case "tcp" ->
          isPresent("tcp.TcpBackend") ? Listening.OverTcp.of(from, encryption, files, check) : null;
      case "libfabric" ->
          isPresent("libfabric.LibfabricBackend")
              ? Listening.OverLibfabric.of(from, encryption, files, check)
              : null;
      case "ibverbs" ->
          isPresent("ibverbs.IbverbsBackend")
              ? Listening.OverIbverbs.of(from, encryption, files, check)
              : null;
      default -> null;
    };
  }

  /**
   * Refuses a backend that these properties set up, if there was none on the class path.
   *
   * @throws EngineConfigurationException says which artifact to add
   */
  public static void requireArtifact(String name, PropertyCheck check) {
    if (LISTEN.contains(name)) {
      throw check.refused(
          "backend",
          "expected the artifact reactive-transfer-"
              + name
              + " on the class path, got none; add it",
          null);
    }
  }

  private static boolean isPresent(String name) {
    try {
      Class.forName("io.reactivetransfer." + name, false, BackendProperties.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError _) {
      return false;
    }
  }

  /**
   * Refuses what would set up a backend that these properties cannot set up.
   *
   * @param hint what to do instead
   * @throws EngineConfigurationException for the first that is set
   */
  public static void requireNone(
      String backend,
      PropertySource from,
      Encryption encryption,
      String hint,
      PropertyCheck check) {
    Stream.of(LISTENING, encryption.properties().subList(0, 1), SECRETS)
        .flatMap(List::stream)
        .filter(property -> from.text(property) != null)
        .findFirst()
        .or(() -> from.flag(WITHOUT_SECRET) ? Optional.of(WITHOUT_SECRET) : Optional.empty())
        .ifPresent(property -> {
          throw check.refused(
              property,
              "expected nothing for backend "
                  + backend
                  + ", which these properties cannot set up; "
                  + hint,
              null);
        });
  }
}
