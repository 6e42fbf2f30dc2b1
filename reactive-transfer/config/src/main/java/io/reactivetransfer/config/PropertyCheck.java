package io.reactivetransfer.config;

import java.io.UncheckedIOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Hands properties to those who check them, and says which one was refused.
 *
 * @param prefix what the names of the properties begin with, without a dot behind it
 */
public record PropertyCheck(String prefix) {

  /**
   * Hands on what was set; null was not.
   *
   * @throws EngineConfigurationException if it is refused
   */
  public <T> void set(String property, @Nullable T value, Consumer<? super T> setter) {
    if (value != null) {
      try {
        setter.accept(value);
      } catch (IllegalArgumentException | UncheckedIOException e) {
        throw refused(property, String.valueOf(e.getMessage()), e);
      }
    }
  }

  /** What is thrown for one that is refused. */
  public EngineConfigurationException refused(
      String property, String reason, @Nullable Throwable cause) {
    return new EngineConfigurationException(prefix + "." + property, reason, cause);
  }

  /**
   * What is thrown for one that is there and blank, whatever its kind: a template whose variables
   * were empty must not turn off what protects an engine, nor set back anything else in silence.
   */
  public EngineConfigurationException blank(String property) {
    return refused(
        property,
        "expected a value, got one that is empty or blank; give it a value, or leave it out",
        null);
  }
}
