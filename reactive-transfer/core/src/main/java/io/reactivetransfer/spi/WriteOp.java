package io.reactivetransfer.spi;

import org.jspecify.annotations.Nullable;

/**
 * What one NIC must do: one write, fully resolved. The engine fills one object again and again; a
 * domain copies what it needs and keeps no reference after {@link Domain#post} has returned.
 */
public final class WriteOp {

  private @Nullable LocalMemory source;
  private @Nullable RemoteMemory target;
  private long sourceOffset;
  private long targetOffset;
  private long length;
  private long token;
  private int imm;
  private boolean hasImm;

  /** Made once by the engine, and by tests of a backend. */
  public WriteOp() {}

  /** Where the bytes come from; the domain's own object. */
  public LocalMemory source() {
    return set(source);
  }

  /** Where the bytes go; the domain's own object. */
  public RemoteMemory target() {
    return set(target);
  }

  /** First byte within the source. */
  public long sourceOffset() {
    return sourceOffset;
  }

  /** First byte within the target. */
  public long targetOffset() {
    return targetOffset;
  }

  /** Bytes, 0 to {@link Capabilities#maxWriteBytes()}. */
  public long length() {
    return length;
  }

  /** What to report completion with. Several writes may have the same one. */
  public long token() {
    return token;
  }

  /** Whether the target gets an immediate when the bytes can be read. */
  public boolean hasImm() {
    return hasImm;
  }

  /** The 32 bits of the immediate, if there is one. */
  public int imm() {
    return imm;
  }

  /** Sets both ends. */
  @SuppressWarnings("ReferenceEquality") // the very same objects
  public WriteOp between(LocalMemory source, RemoteMemory target) {
    // mostly the same as before, and to write a reference costs more than to look
    if (this.source != source || this.target != target) {
      this.source = source;
      this.target = target;
    }
    return this;
  }

  /** Sets what is written. */
  public WriteOp range(long sourceOffset, long targetOffset, long length) {
    this.sourceOffset = sourceOffset;
    this.targetOffset = targetOffset;
    this.length = length;
    return this;
  }

  /** Sets the immediate. */
  public WriteOp withImm(int imm) {
    this.imm = imm;
    this.hasImm = true;
    return this;
  }

  /** Sets that there is no immediate. */
  public WriteOp withoutImm() {
    this.imm = 0;
    this.hasImm = false;
    return this;
  }

  /** Sets the token. */
  public WriteOp token(long token) {
    this.token = token;
    return this;
  }

  private static <T> T set(@Nullable T value) {
    if (value == null) {
      throw new IllegalStateException(
          "expected a filled WriteOp, got one without source or target");
    }
    return value;
  }
}
