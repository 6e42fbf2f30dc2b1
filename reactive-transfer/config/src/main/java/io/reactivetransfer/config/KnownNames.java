package io.reactivetransfer.config;

import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Which properties an engine has, and whether there are others below its prefix. */
final class KnownNames {

  /** Engines by their names have all theirs below this one. */
  static final String ENGINES = "engines";

  /** Whose values stand behind a key in brackets. */
  private static final String LISTS = "device-nics";

  private static final Set<String> ALL =
      new TreeSet<>(
          List.of(
              "backend",
              "host",
              "port",
              "advertised-host",
              "secret",
              "secret-file",
              "previous-secret",
              "previous-secret-file",
              "without-secret",
              "ssl.certificate",
              "ssl.private-key",
              "ssl.trusted",
              "ssl.mutual",
              "nics",
              LISTS,
              "window",
              "nic-depth",
              "peer-depth",
              "peer-bytes",
              "max-submissions",
              "min-piece-bytes",
              "max-unclaimed-imms",
              "max-message-bytes",
              "message-credits",
              "max-waiting-messages",
              "liveness-deadline",
              "transfer-deadline",
              "connect-timeout",
              "close-timeout",
              "revocation-grace",
              "stall-threshold",
              "cpu",
              "idle.spins",
              "idle.max-spin",
              "idle.min-park",
              "idle.max-park"));

  /** As environment variables have them; lists are none. */
  private static final Set<String> VARIABLES =
      ALL.stream()
          .filter(name -> !name.equals(LISTS))
          .map(KnownNames::variable)
          .collect(Collectors.toUnmodifiableSet());

  /** What Kubernetes sets for a service that is called like the prefix, or begins so. */
  private static final Pattern OF_A_SERVICE =
      Pattern.compile("(.+_)?SERVICE_(HOST|PORT(_.*)?)|(.+_)?PORT_\\d+_(TCP|UDP|SCTP)(_.*)?");

  private static final String PORT = "_PORT";

  private KnownNames() {}

  /** All of them, without keys. */
  static Set<String> all() {
    return ALL;
  }

  /**
   * Refuses what is below the prefix and nothing that an engine has; of variables, only for the
   * prefix of all: behind the name of an engine they may be of one with a longer name.
   *
   * @param present all names that the sources have
   * @throws EngineConfigurationException for the first; with the name that is nearest, and without
   *     the value, which may be a secret
   */
  static void requireNoOther(Set<String> present, PropertyCheck check) {
    String dotted = check.prefix() + ".";
    String variables = variable(check.prefix()) + "_";
    boolean hasEngines = check.prefix().equals(EngineConfiguration.PREFIX);
    for (String name : present) {
      if (name.startsWith(dotted)) {
        String rest = name.substring(dotted.length());
        if (!isKnown(rest) && !(hasEngines && rest.startsWith(ENGINES + "."))) {
          throw check.refused(rest, "expected " + shown(nearest(rest)) + ", or nothing", null);
        }
      } else if (hasEngines && name.startsWith(variables)) {
        String rest = name.substring(variables.length());
        if (!VARIABLES.contains(rest)
            && !rest.startsWith(variable(ENGINES) + "_")
            && !OF_A_SERVICE.matcher(rest).matches()
            && !isPortOfAService(name, present)) {
          throw new EngineConfigurationException(name, instead(variables, nearest(rest)), null);
        }
      }
    }
  }

  /** It sets this one and the host together. */
  private static boolean isPortOfAService(String name, Set<String> present) {
    return name.endsWith(PORT)
        && present.contains(name.substring(0, name.length() - PORT.length()) + "_SERVICE_HOST");
  }

  private static String instead(String variables, String nearest) {
    return nearest.equals(LISTS)
        ? "expected the property "
            + EngineConfiguration.PREFIX
            + "."
            + shown(LISTS)
            + ", which no variable can be, or no such variable"
        : "expected " + variables + variable(nearest) + ", or no such variable";
  }

  private static String shown(String name) {
    return name.equals(LISTS) ? LISTS + "[KIND:ORDINAL]" : name;
  }

  private static boolean isKnown(String name) {
    return (ALL.contains(name) && !name.equals(LISTS))
        || (name.startsWith(LISTS + "[") && name.endsWith("]"));
  }

  /** As SmallRye Config, and MicroProfile Config, look a property up in the environment. */
  private static String variable(String name) {
    return name.replaceAll("[^A-Za-z0-9]", "_").toUpperCase(Locale.ROOT);
  }

  private static String nearest(String name) {
    String wrong = variable(name);
    return ALL.stream()
        .min(Comparator.comparingInt(right -> distance(wrong, variable(right))))
        .orElseThrow();
  }

  /** How many characters must be put in, taken out or changed (Levenshtein). */
  private static int distance(String one, String other) {
    int[] before = new int[other.length() + 1];
    for (int j = 0; j < before.length; j++) {
      before[j] = j;
    }
    for (int i = 1; i <= one.length(); i++) {
      int[] now = new int[before.length];
      now[0] = i;
      for (int j = 1; j < now.length; j++) {
        int change = before[j - 1] + (one.charAt(i - 1) == other.charAt(j - 1) ? 0 : 1);
        now[j] = Math.min(change, 1 + Math.min(before[j], now[j - 1]));
      }
      before = now;
    }
    return before[other.length()];
  }
}
