package io.reactivetransfer.membership;

import io.reactivetransfer.HostPort;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * A process with an engine.
 *
 * @param name what tells it from all others, and stays the same when it changes: 1 to {@link
 *     #MAX_NAME} letters and digits of US-ASCII, and {@code . _ - : [ ]}
 * @param role what it does, such as {@code prefill}: 1 to {@link #MAX_WORD} letters and digits of
 *     US-ASCII, and {@code . _ -}
 * @param address host and port of the control channel of its engine
 * @param labels what else is to be known of it, such as model, version and rank, sorted by key: at
 *     most {@link #MAX_LABELS}; a key has 1 to {@link #MAX_WORD} letters and digits of US-ASCII,
 *     and {@code . _ - /}, a value at most {@link #MAX_VALUE} printable letters of US-ASCII
 */
public record Node(String name, String role, HostPort address, Map<String, String> labels) {

  /** The longest name, in letters: that of a host in DNS, and a port. */
  public static final int MAX_NAME = 260;

  /** The longest role, and the longest key of a label, in letters. */
  public static final int MAX_WORD = 63;

  /** The longest value of a label, in letters. */
  public static final int MAX_VALUE = 256;

  /** The most labels of one node. */
  public static final int MAX_LABELS = 32;

  /** Checks all, and copies the labels. */
  public Node {
    check("a name", name, 1, MAX_NAME, "._-:[]");
    check("a role", role, 1, MAX_WORD, "._-");
    Objects.requireNonNull(address, "address");
    if (labels.size() > MAX_LABELS) {
      throw new IllegalArgumentException(
          "expected at most " + MAX_LABELS + " labels of " + name + ", got " + labels.size());
    }
    SortedMap<String, String> sorted = new TreeMap<>();
    labels.forEach((key, value) -> {
      check("a key of a label of " + name, key, 1, MAX_WORD, "._-/");
      checkValue("the value of the label " + key + " of " + name, value);
      sorted.put(key, value);
    });
    labels = Collections.unmodifiableSortedMap(sorted);
  }

  /** One without labels. */
  public static Node of(String name, String role, HostPort address) {
    return new Node(name, role, address, Map.of());
  }

  /** The same with one more label, or with another value of it. */
  public Node withLabel(String key, String value) {
    SortedMap<String, String> more = new TreeMap<>(labels);
    more.put(key, value);
    return new Node(name, role, address, more);
  }

  /** The value of a label, or null if there is none. */
  public @Nullable String label(String key) {
    return labels.get(key);
  }

  private static void check(String what, String text, int min, int max, String marks) {
    Objects.requireNonNull(text, what);
    if (!isMadeOf(text, min, max, marks)) {
      throw new IllegalArgumentException(
          "expected %s of %,d to %,d letters and digits of US-ASCII, or %s, got %s"
              .formatted(what, min, max, String.join(" ", marks.split("")), clip(text)));
    }
  }

  private static void checkValue(String what, String text) {
    Objects.requireNonNull(text, what);
    if (text.length() > MAX_VALUE || !all(text, Node::isPrintable)) {
      throw new IllegalArgumentException(
          "expected %s to be at most %,d printable letters of US-ASCII, got %s"
              .formatted(what, MAX_VALUE, clip(text)));
    }
  }

  private static boolean isMadeOf(String text, int min, int max, String marks) {
    return text.length() >= min
        && text.length() <= max
        && all(text, letter -> isWordLetter(letter) || marks.indexOf(letter) >= 0);
  }

  private static boolean isWordLetter(int letter) {
    return (letter >= 'a' && letter <= 'z')
        || (letter >= 'A' && letter <= 'Z')
        || (letter >= '0' && letter <= '9');
  }

  private static boolean isPrintable(int letter) {
    return letter >= ' ' && letter < 0x7f;
  }

  private static boolean all(String text, IntPredicate predicate) {
    return text.chars().allMatch(predicate);
  }

  private static String clip(String text) {
    int max = 40;
    String safe = text.replaceAll("[^\\x20-\\x7e]", "?");
    return safe.length() <= max
        ? "'" + safe + "'"
        : "'" + safe.substring(0, max) + "...' of " + text.length() + " letters";
  }
}
