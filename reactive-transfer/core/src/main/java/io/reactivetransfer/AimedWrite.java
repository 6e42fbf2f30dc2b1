package io.reactivetransfer;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A {@link WriteImm}, one page of {@linkplain PagedWrite.Rows rows}, or rows of a {@link
 * GatherList}, that is used again and again: from the same region, and each time aimed at other
 * bytes. For whoever writes to the same peers all the time and must not allocate anything for it.
 *
 * <p>It is the only transfer that can be changed. Aim it when it is not on its way: before it is
 * submitted, after it was emitted as done, or after its stream has ended. One that is aimed earlier
 * writes what it was aimed at before or after, or a mixture of both, or fails with a {@link
 * TransferRejectedException}; never bytes outside of the two regions, since bounds are looked at
 * again when the engine takes it over. Aiming allocates nothing and is not synchronised: to submit
 * it publishes it.
 *
 * <p>{@link #redirect} has it go to another region under another immediate, and is refused while it
 * is on its way. Nor may it be in two streams, or twice in one, at the same time: the one that gets
 * it last fails with an {@link IllegalStateException}. It is on its way from when upstream gives it
 * to a stream until it was emitted, or the stream has ended; one that is given while a stream ends,
 * or later, is free at the latest when {@code onNext} has returned.
 */
public final class AimedWrite implements Transfer {

  private final MemoryRegion source;
  private RemoteRegion target;
  private Imm imm;
  private long sourceOffset;
  private long targetOffset;
  private long length;
  private PagedWrite.@Nullable Rows rows;
  private @Nullable GatherList list;

  /** Set by the engine, see {@code UnderWay}: from when a stream gets it until it has left that. */
  private volatile boolean isUnderWay;

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
    aimAt(sourceOffset, targetOffset, length, null, null);
    return this;
  }

  /**
   * Aims it at rows: it then is a page of them, and counts once, when all of them can be read. As
   * other pages of rows with an immediate it is rejected where {@link TransferEngine#canCount} says
   * so.
   *
   * @param rows which, on both sides
   * @param sourceOffset first byte of the first row within the source
   * @param targetOffset first byte of the first row within the target
   * @return this
   * @throws IndexOutOfBoundsException if these do not lie within the regions; it is aimed as before
   *     then
   */
  public AimedWrite aim(PagedWrite.Rows rows, long sourceOffset, long targetOffset) {
    Objects.requireNonNull(rows, "rows");
    Objects.checkFromIndexSize(sourceOffset, rows.sourceExtent(), source.length());
    Objects.checkFromIndexSize(targetOffset, rows.targetExtent(), target.length());
    long bytes = rows.count() * rows.length();
    aimAt(sourceOffset, targetOffset, bytes, rows.areWhole() ? null : rows, null);
    return this;
  }

  /**
   * Aims it at rows that lie anywhere: it gathers them, and counts once, when all of them can be
   * read. Where nobody knows when a write has come ({@link CompletionLevel#SOURCE_FREE}) it is
   * rejected if it is more than 8 operations, see {@link TransferEngine#canCount(GatherList)}.
   *
   * <p>The list is kept, not copied: leave it alone from here on as long as you leave this alone.
   * If it is changed before the engine takes this over, what it says then is written, which {@link
   * #length()} does not show, or it is rejected if that is out of bounds.
   *
   * @param list which rows of the source; an empty one tells the target and no more
   * @param sourceOffset where row 0 begins within the source
   * @param targetOffset first byte of the first listed row within the target
   * @return this
   * @throws IndexOutOfBoundsException if these do not lie within the regions; it is aimed as before
   *     then
   */
  public AimedWrite aim(GatherList list, long sourceOffset, long targetOffset) {
    Objects.requireNonNull(list, "list");
    Objects.checkFromIndexSize(sourceOffset, list.sourceExtent(), source.length());
    Objects.checkFromIndexSize(targetOffset, list.targetExtent(), target.length());
    aimAt(sourceOffset, targetOffset, list.length(), null, list);
    return this;
  }

  @SuppressWarnings("ReferenceEquality") // a write barrier for what is the same costs time
  private void aimAt(
      long sourceOffset,
      long targetOffset,
      long length,
      PagedWrite.@Nullable Rows rows,
      @Nullable GatherList list) {
    this.sourceOffset = sourceOffset;
    this.targetOffset = targetOffset;
    this.length = length;
    if (this.rows != rows) {
      this.rows = rows;
    }
    if (this.list != list) {
      this.list = list;
    }
  }

  private long targetExtent() {
    return rows != null ? rows.targetExtent() : list != null ? list.targetExtent() : length;
  }

  /**
   * Has it go to another region under another immediate from now on. It stays aimed at the same
   * bytes of the source, and at the same offset.
   *
   * @param target what is written
   * @param imm what is counted there
   * @return this
   * @throws IllegalStateException if it is on its way; nothing is changed then
   * @throws IndexOutOfBoundsException if what it is aimed at does not lie within that region;
   *     nothing is changed then
   */
  public AimedWrite redirect(RemoteRegion target, Imm imm) {
    return redirect(target, targetOffset, imm);
  }

  /**
   * Has it go to another region under another immediate, and to another offset there, from now on.
   * It stays aimed at the same bytes of the source.
   *
   * @param target what is written
   * @param targetOffset first byte within the target
   * @param imm what is counted there
   * @return this
   * @throws IllegalStateException if it is on its way; nothing is changed then
   * @throws IndexOutOfBoundsException if these bytes do not lie within that region; nothing is
   *     changed then
   */
  public AimedWrite redirect(RemoteRegion target, long targetOffset, Imm imm) {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(imm, "imm");
    if (isUnderWay) {
      throw new IllegalStateException(
          "expected an AimedWrite that is redirected when it is not on its way, got one that a"
              + " stream has, to "
              + this.target
              + " under immediate "
              + this.imm.value()
              + "; redirect it when it was emitted, or when its stream has ended");
    }
    Objects.checkFromIndexSize(targetOffset, targetExtent(), target.length());
    this.target = target;
    this.targetOffset = targetOffset;
    this.imm = imm;
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

  /** What it consists of; null if it is one range of bytes on both sides, or gathered. */
  public PagedWrite.@Nullable Rows rows() {
    return rows;
  }

  /** What it gathers; null if it gathers nothing. The one that it was aimed by. */
  public @Nullable GatherList list() {
    return list;
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
        + (rows == null ? "" : " in " + rows.count() + " rows")
        + (list == null ? "" : " of a list of " + list.size() + " rows")
        + ", imm="
        + imm
        + "]";
  }
}
