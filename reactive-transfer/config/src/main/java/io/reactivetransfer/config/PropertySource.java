package io.reactivetransfer.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The properties of one engine, wherever they are read, by their names without a prefix, such as
 * {@code peer-depth}. What was not set is null, and is the default of the engine.
 */
public interface PropertySource {

  /** A text. */
  @Nullable String text(String name);

  /** A whole number. */
  @Nullable Integer number(String name);

  /** A size, in bytes. */
  @Nullable Long bytes(String name);

  /** A time. */
  @Nullable Duration duration(String name);

  /** A file. */
  @Nullable Path file(String name);

  /** Yes or no; what was not set is no. */
  boolean flag(String name);

  /** Lists by the keys that stand in brackets behind the name; empty if there are none. */
  Map<String, List<String>> lists(String name);
}
