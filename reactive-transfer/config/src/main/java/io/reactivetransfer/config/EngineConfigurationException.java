package io.reactivetransfer.config;

import org.jspecify.annotations.Nullable;

/**
 * No engine can be opened with a property as it is. The text names it, and says what was expected
 * and what came; secrets are in no text.
 *
 * <p>What to do about it: docs/troubleshooting.md, section EngineConfigurationException.
 */
public final class EngineConfigurationException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String property;
  private final String reason;

  /**
   * For one property.
   *
   * @param property its name, in full
   * @param reason what was expected of it, and what came
   * @param cause what has refused it, or null
   */
  public EngineConfigurationException(String property, String reason, @Nullable Throwable cause) {
    super(property + ": " + reason, cause);
    this.property = property;
    this.reason = reason;
  }

  /** The property, in full. */
  public String property() {
    return property;
  }

  /** What was expected of it, and what came. */
  public String reason() {
    return reason;
  }
}
