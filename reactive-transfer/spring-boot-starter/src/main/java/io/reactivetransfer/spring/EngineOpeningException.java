package io.reactivetransfer.spring;

import org.jspecify.annotations.Nullable;

/**
 * An engine could not be opened. The text names it, and says why.
 *
 * <p>What to do about it: docs/troubleshooting.md, section EngineOpeningException.
 */
public final class EngineOpeningException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final String engine;

  EngineOpeningException(String engine, String text, @Nullable Throwable cause) {
    super(text, cause);
    this.engine = engine;
  }

  /** The name of the engine. */
  public String engine() {
    return engine;
  }
}
