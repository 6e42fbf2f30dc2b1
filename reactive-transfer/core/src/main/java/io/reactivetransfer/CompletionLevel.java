package io.reactivetransfer;

/**
 * What it means that a submitted transfer is done. It is a property of the backend, and of the
 * provider below it; see {@link TransferEngine#completionLevel()}.
 */
public enum CompletionLevel {
  /** The NIC has finished with the source memory. The bytes may still be on their way. */
  SOURCE_FREE,
  /** The bytes are in the target's memory. */
  DELIVERED
}
