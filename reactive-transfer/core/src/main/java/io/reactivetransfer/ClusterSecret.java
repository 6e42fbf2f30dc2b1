package io.reactivetransfer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What all engines of one cluster know, and nobody else: a backend that meets others over an open
 * network has them prove it before it listens to them. The secret itself never leaves this object,
 * is not in {@link #toString()}, and is not in any error.
 *
 * <p>Use random bytes, not a word: whoever records a handshake can try guesses against it for as
 * long as they like. {@code openssl rand -hex 32 > secret} makes a good file.
 */
public final class ClusterSecret {

  /** The shortest that is taken, in bytes. */
  public static final int MIN_BYTES = 16;

  /** The longest that is taken, in bytes. */
  public static final int MAX_BYTES = 4_096;

  private static final String ALGORITHM = "HmacSHA256";

  private final SecretKeySpec key;

  private ClusterSecret(byte[] secret, String source) {
    if (secret.length < MIN_BYTES || secret.length > MAX_BYTES) {
      throw new IllegalArgumentException(
          "expected a cluster secret of "
              + MIN_BYTES
              + " to "
              + MAX_BYTES
              + " bytes"
              + source
              + ", got "
              + secret.length
              + "; make one with: openssl rand -hex 32");
    }
    this.key = new SecretKeySpec(secret, ALGORITHM);
  }

  /**
   * Of these bytes, which are copied.
   *
   * @throws IllegalArgumentException if they are fewer than {@link #MIN_BYTES} or more than {@link
   *     #MAX_BYTES}
   */
  public static ClusterSecret of(byte[] secret) {
    return new ClusterSecret(secret, "");
  }

  /**
   * The bytes of this file, without line ends behind them. Blocks while it reads.
   *
   * @throws UncheckedIOException if the file cannot be read
   * @throws IllegalArgumentException if it holds too few or too many bytes
   */
  public static ClusterSecret ofFile(Path file) {
    byte[] content;
    try (var in = Files.newInputStream(file)) {
      content = in.readNBytes(MAX_BYTES + 3);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "cannot read the cluster secret from " + file + ": " + why(e), e);
    }
    int length = content.length;
    while (length > 0 && (content[length - 1] == '\n' || content[length - 1] == '\r')) {
      length--;
    }
    return new ClusterSecret(Arrays.copyOf(content, length), " in " + file);
  }

  private static String why(IOException failure) {
    return switch (failure) {
      case NoSuchFileException _ -> "there is no such file";
      case AccessDeniedException _ -> "this process may not read it";
      default -> failure.toString();
    };
  }

  /**
   * A message authentication code with this secret as its key: HMAC-SHA-256 (RFC 2104), 32 bytes.
   * For one thread; each call makes a new one. For authors of backends.
   */
  public Mac newMac() {
    try {
      Mac mac = Mac.getInstance(ALGORITHM);
      mac.init(key);
      return mac;
    } catch (NoSuchAlgorithmException | InvalidKeyException e) {
      throw new IllegalStateException("expected the JDK to have " + ALGORITHM, e);
    }
  }

  /** Says nothing: who knows a secret belongs to the cluster. */
  @Override
  public String toString() {
    return "ClusterSecret[hidden]";
  }
}
