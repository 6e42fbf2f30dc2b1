package io.reactivetransfer;

import java.util.Objects;

/**
 * A {@link WriteImm} that is used again and again: always between the same two regions and under
 * the same immediate, and each time aimed at other bytes. For whoever writes to the same peers all
 * the time and must not allocate anything for it.
 *
 * <p>It is the only transfer that can be changed. Aim it when it is not on its way: before it is
 * submitted, after it was emitted as done, or after its stream has ended. One that is aimed earlier
 * writes what it was aimed at before or after, or a mixture of both, or fails with a {@link
 * TransferRejectedException}; never bytes outside of the two regions, since bounds are looked at
 * again when the engine takes it over. Nor may it be in two streams, or twice in one, at the same
 * time. Aiming allocates nothing and is not synchronised: to submit it publishes it.
 */
public final class AimedWrite implements Transfer {

  private final MemoryRegion source;
  private final RemoteRegion target;
  private final Imm imm;
  private long sourceOffset;
  private long targetOffset;
  private long length;

  private AimedWrite(MemoryRegion source, RemoteRegion target, Imm imm) {
    this.source = Objects.requireNonNull(source, "source");
    this.target = Objects.requireNonNull(target, "target");
    this.imm = Objects.requireNonNull(imm, "imm");
  }

  /** One that is aimed at no bytes yet: if it is submitted so, the target is told and no more. */
  public static AimedWrite between(MemoryRegion source, RemoteRegion target, Imm imm) {
    return new AimedWrite(source, target, imm);
  }

  /**
   * Aims it.
   *
   * @param sourceOffset first byte within the source
   * @param targetOffset first byte within the target
   * @param length bytes; 0 is legal
   * @return this
   * @throws IndexOutOfBoundsException if these do not lie within the regions; it is aimed as before
   *     then
   */
  public AimedWrite aim(long sourceOffset, long targetOffset, long length) {
    Objects.checkFromIndexSize(sourceOffset, length, source.length());
    Objects.checkFromIndexSize(targetOffset, length, target.length());
    this.sourceOffset = sourceOffset;
    this.targetOffset = targetOffset;
    this.length = length;
    return this;
  }

  /** What is read. */
  public MemoryRegion source() {
    return source;
  }

  /** What is written. */
  public RemoteRegion target() {
    return target;
  }

  /** First byte within the source. */
  public long sourceOffset() {
    return sourceOffset;
  }

  /** First byte within the target. */
  public long targetOffset() {
    return targetOffset;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public Imm imm() {
    return imm;
  }

  @Override
  public long arrivals() {
    return 1;
  }

  @Override
  public String toString() {
    return "AimedWrite[source="
        + source
        + " at "
        + sourceOffset
        + ", target="
        + target
        + " at "
        + targetOffset
        + ", length="
        + length
        + ", imm="
        + imm
        + "]";
  }
}
