package io.reactivetransfer.config;

import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.eclipse.microprofile.config.Config;
import org.jspecify.annotations.Nullable;

/** The properties of one engine in a configuration. Texts of secrets come into no error. */
final class ConfigProperties implements PropertySource {

  private final Config config;
  private final Set<String> names;
  private final PropertyCheck check;

  /** With the names of all that the sources have, whatever for. */
  ConfigProperties(Config config, Set<String> names, PropertyCheck check) {
    this.config = config;
    this.names = names;
    this.check = check;
  }

  @Override
  public @Nullable String text(String name) {
    String property = check.prefix() + "." + name;
    try { // not getOptionalValue, which leaves out what cannot be expanded
      String raw = config.getConfigValue(property).getRawValue();
      if (raw == null) {
        return null;
      }
      String value = raw.isBlank() ? raw : config.getValue(property, String.class);
      if (!value.isBlank()) {
        return value;
      }
    } catch (NoSuchElementException | IllegalArgumentException _) {
      // Its text, and its cause, may show a part of a secret.
      throw check.refused(
          name, "expected a value, got a ${...} that leads nowhere or is none", null);
    }
    throw check.blank(name);
  }

  @Override
  public @Nullable Integer number(String name) {
    return value(name, Integer::valueOf, "a whole number of at most 2147483647");
  }

  @Override
  public @Nullable Long bytes(String name) {
    return value(name, Long::valueOf, "a whole number of bytes, such as 67108864");
  }

  @Override
  public @Nullable Duration duration(String name) {
    return value(name, Duration::parse, "a duration of ISO 8601, such as PT5S or PT0.1S");
  }

  @Override
  public @Nullable Path file(String name) {
    return value(name, Path::of, "a file");
  }

  @Override
  public boolean flag(String name) {
    Boolean flag = value(name, ConfigProperties::flagOf, "true or false");
    return flag != null && flag;
  }

  private static boolean flagOf(String text) {
    return switch (text) {
      case "true" -> true;
      case "false" -> false;
      default -> throw new IllegalArgumentException(text);
    };
  }

  private <T> @Nullable T value(String name, Function<String, T> parse, String expected) {
    String text = text(name);
    if (text == null) {
      return null;
    }
    try {
      return parse.apply(text.strip());
    } catch (IllegalArgumentException | DateTimeParseException e) {
      throw check.refused(name, "expected " + expected + ", got '" + text + "'", e);
    }
  }

  @Override
  public Map<String, List<String>> lists(String name) {
    String start = check.prefix() + "." + name + "[";
    Map<String, List<String>> lists = new LinkedHashMap<>();
    for (String property : names) {
      if (property.startsWith(start) && property.endsWith("]")) {
        String key = property.substring(start.length(), property.length() - 1);
        String text = text(name + "[" + key + "]");
        if (text != null) {
          lists.put(key, Stream.of(text.split(",", -1)).map(String::strip).toList());
        }
      }
    }
    return lists;
  }
}
