package io.reactivetransfer;

/** What a {@link Transfer} is, as figures count it ({@link EngineStats#transfersBegun}). */
public enum TransferKind {
  /** A {@link Write}, which nobody is told of. */
  WRITE,

  /** A {@link WriteImm}. */
  WRITE_IMM,

  /** An {@link AimedWrite}. */
  AIMED_WRITE,

  /** A {@link PagedWrite}. */
  PAGED_WRITE,

  /** A {@link Scatter}. */
  SCATTER,

  /** A {@link Signal}. */
  SIGNAL
}
