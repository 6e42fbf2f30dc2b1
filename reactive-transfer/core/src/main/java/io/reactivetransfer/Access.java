package io.reactivetransfer;

/** What registered memory may be used for. */
public enum Access {
  /** Source of this engine's own writes only; no remote engine can name it. */
  LOCAL(0),
  /** Source of own writes, and target of the writes of whoever holds the descriptor. */
  REMOTE_WRITE(1);

  /** How a descriptor encodes it. */
  final int code;

  Access(int code) {
    this.code = code;
  }

  /** Whether a remote engine may write. */
  public boolean allowsRemoteWrite() {
    return this == REMOTE_WRITE;
  }

  static Access fromCode(int code) {
    return code == LOCAL.code ? LOCAL : REMOTE_WRITE;
  }
}
