package io.reactivetransfer;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes local memory to remote memory; the target is not told.
 *
 * @param source what is read; the engine reads it until the transfer is done
 * @param target where it goes; the same length
 */
public record Write(MemorySlice source, RemoteSlice target) implements Transfer {

  /** Checks that the lengths are equal. */
  public Write {
    requireSameLength(source, target);
  }

  /** The write of this source to this target. */
  public static Write of(MemorySlice source, RemoteSlice target) {
    return new Write(source, target);
  }

  @Override
  public long length() {
    return source.length();
  }

  @Override
  public @Nullable Imm imm() {
    return null;
  }

  @Override
  public long arrivals() {
    return 0;
  }

  static void requireSameLength(MemorySlice source, RemoteSlice target) {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(target, "target");
    if (source.length() != target.length()) {
      throw new IllegalArgumentException(
          "expected a target as long as the source ("
              + source.length()
              + " bytes), got "
              + target.length()
              + " bytes");
    }
  }
}
