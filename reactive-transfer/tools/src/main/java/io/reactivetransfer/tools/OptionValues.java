package io.reactivetransfer.tools;

import java.nio.file.Files;
import java.nio.file.Path;

/** What the options of several commands may be; the errors name the option. */
public final class OptionValues {

  private OptionValues() {}

  /**
   * A number within its bounds.
   *
   * @throws IllegalArgumentException if it is not
   */
  public static long within(String option, long value, long min, long max) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          String.format("expected %s of %,d to %,d, got %,d", option, min, max, value));
    }
    return value;
  }

  /**
   * The same for a short one.
   *
   * @throws IllegalArgumentException if it is not
   */
  public static int within(String option, int value, int min, int max) {
    return (int) within(option, (long) value, min, max);
  }

  /**
   * A file that is there and can be read.
   *
   * @throws IllegalArgumentException if it is not
   */
  public static Path readable(String option, Path path) {
    if (!Files.isRegularFile(path) || !Files.isReadable(path)) {
      throw new IllegalArgumentException("expected " + option + " that can be read, got " + path);
    }
    return path.toAbsolutePath();
  }

  /**
   * A file that can be written, or made.
   *
   * @throws IllegalArgumentException if it is not
   */
  public static Path writable(String option, Path path) {
    Path absolute = path.toAbsolutePath();
    Path folder = absolute.getParent();
    boolean can =
        Files.exists(absolute)
            ? Files.isRegularFile(absolute) && Files.isWritable(absolute)
            : folder != null && Files.isDirectory(folder) && Files.isWritable(folder);
    if (!can) {
      throw new IllegalArgumentException(
          "expected " + option + " that can be written, got " + path);
    }
    return absolute;
  }
}
