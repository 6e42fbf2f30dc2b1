package io.reactivetransfer;

import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes to several targets at once, each with a source of its own. With an immediate, the counter
 * at each target goes up by one when that target's bytes can be read.
 *
 * @param parts what goes where; at least one
 * @param imm what is counted, or null
 */
public record Scatter(List<Part> parts, @Nullable Imm imm) implements Transfer {

  /**
   * What goes to one target.
   *
   * @param source what is read
   * @param target where it goes; the same length. Length 0 is legal
   */
  public record Part(MemorySlice source, RemoteSlice target) {

    /** Checks that the lengths are equal. */
    public Part {
      Write.requireSameLength(source, target);
    }
  }

  /** Checks and copies the list. */
  public Scatter {
    Objects.requireNonNull(parts, "parts");
    parts = List.copyOf(parts);
    if (parts.isEmpty()) {
      throw new IllegalArgumentException("expected at least one target, got none");
    }
  }

  /** The scatter of these parts, counted under this immediate. */
  public static Scatter of(@Nullable Imm imm, Part... parts) {
    return new Scatter(List.of(parts), imm);
  }

  @Override
  public long length() {
    long sum = 0;
    for (Part part : parts) {
      sum = Math.addExact(sum, part.source().length());
    }
    return sum;
  }

  @Override
  public long arrivals() {
    return imm == null ? 0 : parts.size();
  }
}
