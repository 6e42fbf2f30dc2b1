package io.reactivetransfer.loopback;

/** Why a write failed; the code that a failure is reported with. */
enum WriteError {
  /** No memory is registered under the key: never was, was revoked, or was deregistered. */
  UNKNOWN_KEY(1),
  /** The memory is not open to remote writes. */
  ACCESS(2),
  /** The range is not within the target's memory. */
  TARGET_RANGE(3),
  /** The range is not within the source, or longer than one write may be. */
  SOURCE_RANGE(4),
  /** The memory could not be accessed, such as when its arena was closed. */
  COPY(5),
  /** The target was closed, or never was there. */
  PEER_LOST(6),
  /** An accelerator does not say whether it goes on copying. */
  UNKNOWN_END(7);

  final int code;

  WriteError(int code) {
    this.code = code;
  }
}
