package io.reactivetransfer;

import java.util.Objects;

/**
 * Writes local memory to remote memory, and tells the target: when all bytes can be read there, the
 * counter of the immediate goes up by one.
 *
 * @param source what is read; the engine reads it until the transfer is done
 * @param target where it goes; the same length. Length 0 is legal
 * @param imm what is counted
 */
public record WriteImm(MemorySlice source, RemoteSlice target, Imm imm) implements Transfer {

  /** Checks that the lengths are equal. */
  public WriteImm {
    Write.requireSameLength(source, target);
    Objects.requireNonNull(imm, "imm");
  }

  /** The write of this source to this target, counted under this immediate. */
  public static WriteImm of(MemorySlice source, RemoteSlice target, Imm imm) {
    return new WriteImm(source, target, imm);
  }

  @Override
  public long length() {
    return source.length();
  }

  @Override
  public long arrivals() {
    return 1;
  }
}
