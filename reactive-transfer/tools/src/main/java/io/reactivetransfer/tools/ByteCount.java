package io.reactivetransfer.tools;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A number of bytes, as people write it.
 *
 * @param bytes how many
 */
public record ByteCount(long bytes) {

  private static final Pattern FORM = Pattern.compile("(?i)(\\d{1,15})\\s*([kmg]?)(?:i?b)?");

  /**
   * Reads {@code 32768}, {@code 32k}, {@code 32KiB} and so on; all units are powers of 1024.
   *
   * @throws IllegalArgumentException if it is anything else
   */
  public static ByteCount of(String text) {
    Matcher matcher = FORM.matcher(text.strip());
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "expected a number of bytes such as 32768 or 32KiB, got '" + text + "'");
    }
    int shift =
        switch (matcher.group(2).toLowerCase(Locale.ROOT)) {
          case "k" -> 10;
          case "m" -> 20;
          case "g" -> 30;
          default -> 0;
        };
    long units = Long.parseLong(matcher.group(1));
    if (units > Long.MAX_VALUE >> shift) {
      throw new IllegalArgumentException(
          "expected a number of bytes below 2^63, got '" + text + "'");
    }
    return new ByteCount(units << shift);
  }

  /** In the largest unit of which there is at least one. */
  @Override
  public String toString() {
    String[] units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    boolean whole = value == Math.rint(value);
    return String.format(Locale.ROOT, whole ? "%,.0f %s" : "%,.1f %s", value, units[unit]);
  }
}
