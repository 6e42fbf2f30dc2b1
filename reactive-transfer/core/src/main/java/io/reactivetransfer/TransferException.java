package io.reactivetransfer;

import org.jspecify.annotations.Nullable;

/**
 * Something that was asked of an engine did not come about. The subclasses are sorted by what the
 * caller may do next; the fields say where it happened.
 *
 * <p>What to do about it: docs/troubleshooting.md, section TransferException.
 */
public abstract sealed class TransferException extends RuntimeException
    permits TransferRejectedException,
        TransferFailedException,
        PeerUnreachableException,
        DeadlineExceededException,
        BackendUnavailableException {

  private static final long serialVersionUID = 1L;

  /** Where a failure happened, as far as it is known. */
  private final transient Origin origin;

  /**
   * Where something failed.
   *
   * @param peer the engine at the other end, if one was concerned
   * @param nic the name of the NIC, if one was concerned
   * @param code the backend's code (an errno, a completion status), or 0
   */
  public record Origin(@Nullable EngineId peer, @Nullable String nic, int code) {

    /** Nothing is known. */
    public static final Origin UNKNOWN = new Origin(null, null, 0);

    /** Only the peer is known. */
    public static Origin peer(EngineId peer) {
      return new Origin(peer, null, 0);
    }
  }

  TransferException(String message, Origin origin, @Nullable Throwable cause) {
    super(message, cause);
    this.origin = origin;
  }

  /**
   * Whether the same may succeed if it is submitted again at once: the cause lay in a NIC that is
   * not used any more, not in what was asked for. If it is counted, take another immediate: what
   * was out on that NIC is in doubt. See chapter 8 of the specification, "What one may do after a
   * failure, a deadline, a cancel".
   */
  public boolean isRetryable() {
    return false;
  }

  /** The engine at the other end, if one was concerned. */
  public @Nullable EngineId peer() {
    return origin().peer();
  }

  /** The name of the NIC, if one was concerned. */
  public @Nullable String nic() {
    return origin().nic();
  }

  /** The backend's code (an errno, a completion status), or 0. */
  public int code() {
    return origin().code();
  }

  @SuppressWarnings("NullAway") // null after deserialisation: the field is transient
  private Origin origin() {
    return origin == null ? Origin.UNKNOWN : origin;
  }
}
