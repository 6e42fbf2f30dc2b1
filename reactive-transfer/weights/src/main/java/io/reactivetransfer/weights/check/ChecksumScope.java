package io.reactivetransfer.weights.check;

import io.reactivetransfer.weights.internal.MessageText;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Of which bytes of an update trainers say checksums.
 *
 * @param degree of all tensors that are not named
 * @param tensors names of tensors of the inference engine of which all bytes are summed up
 */
public record ChecksumScope(Degree degree, Set<String> tensors) {

  /** How many bytes. */
  public enum Degree {
    /** None: ranks compare nothing, and those with a look of their own are not satisfied. */
    NONE(0),
    /**
     * A few pieces of each tensor, others in each update: about 1 % of the bytes, and at least one
     * piece from each trainer to each inference rank.
     */
    SAMPLED(1),
    /** All bytes. */
    ALL(2);

    private final int code;

    Degree(int code) {
      this.code = code;
    }

    /** Stands for it in messages. */
    public int code() {
      return code;
    }

    /** The one that a code stands for; null if it stands for none. */
    public static @Nullable Degree of(int code) {
      return code < values().length ? values()[code] : null;
    }
  }

  /** As many tensors can be named. */
  public static final int MAX_TENSORS = 65_536;

  private static final ChecksumScope NONE = new ChecksumScope(Degree.NONE, Set.of());
  private static final ChecksumScope SAMPLED = new ChecksumScope(Degree.SAMPLED, Set.of());
  private static final ChecksumScope ALL = new ChecksumScope(Degree.ALL, Set.of());

  /** Copies the set. */
  public ChecksumScope {
    Objects.requireNonNull(degree, "degree");
    tensors = Set.copyOf(Objects.requireNonNull(tensors, "tensors"));
    tensors.forEach(name -> MessageText.requireName("tensor", name));
    if (tensors.size() > MAX_TENSORS) {
      throw new IllegalArgumentException(
          "expected at most " + MAX_TENSORS + " tensors, got " + tensors.size());
    }
    if (degree == Degree.NONE && !tensors.isEmpty()) {
      throw new IllegalArgumentException(
          "expected no tensors where nothing is summed up, got " + tensors.size());
    }
  }

  /** No sums; inference ranks compare nothing then, unless a look of their own wants them. */
  public static ChecksumScope none() {
    return NONE;
  }

  /** Samples of all tensors. */
  public static ChecksumScope sampled() {
    return SAMPLED;
  }

  /** All bytes of all tensors. */
  public static ChecksumScope all() {
    return ALL;
  }

  /** All bytes of these tensors, and samples of all others. */
  public static ChecksumScope allOf(String... tensors) {
    return new ChecksumScope(Degree.SAMPLED, Set.of(tensors));
  }

  /** Whether trainers say any sums. */
  public boolean isSome() {
    return degree != Degree.NONE;
  }

  boolean isAll(String tensor) {
    return degree == Degree.ALL || tensors.contains(tensor);
  }
}
