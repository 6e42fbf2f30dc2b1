package io.reactivetransfer.kvcache;

/**
 * A pool has fewer free pages than were asked for. Nothing was taken; try again when some are back.
 *
 * <p>What to do about it: docs/troubleshooting.md, section PagesExhaustedException.
 */
public final class PagesExhaustedException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final int requested;
  private final int free;

  PagesExhaustedException(int requested, int free, int size, String holders) {
    super("expected " + requested + " free pages, got " + free + " in a pool of " + size + holders);
    this.requested = requested;
    this.free = free;
  }

  /** How many pages were asked for. */
  public int requested() {
    return requested;
  }

  /** How many were free. */
  public int free() {
    return free;
  }
}
