package io.reactivetransfer.config;

import io.reactivetransfer.ClusterSecret;
import io.reactivetransfer.ClusterSecrets;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of one engine of which at least one came from a file, to be read again while the
 * engine is open. From any thread.
 */
public final class SecretFiles {

  private static final byte[] COMPARED = "compared".getBytes(StandardCharsets.US_ASCII);

  private final ClusterSecrets secrets;
  private final Supplier<ClusterSecret> current;
  private final Supplier<@Nullable ClusterSecret> previous;
  private byte[] known;
  private volatile int valid;

  SecretFiles(
      ClusterSecrets secrets,
      Supplier<ClusterSecret> current,
      Supplier<@Nullable ClusterSecret> previous) {
    this.secrets = secrets;
    this.current = current;
    this.previous = previous;
    this.known = codes(secrets);
    this.valid = different(secrets, known);
  }

  /**
   * Reads what comes from files again, and has the engine prove it from now on if it is another
   * one. Blocks while it reads.
   *
   * @return whether it is another one
   * @throws UncheckedIOException if a file cannot be read: then those before stay
   * @throws IllegalArgumentException if one holds too few or too many bytes: the same
   */
  public synchronized boolean readAgain() {
    ClusterSecret first = current.get();
    ClusterSecret second = previous.get();
    ClusterSecrets read =
        second == null ? ClusterSecrets.of(first) : ClusterSecrets.of(first, second);
    byte[] codes = codes(read);
    if (MessageDigest.isEqual(known, codes)) {
      return false;
    }
    secrets.renew(first, second);
    known = codes;
    valid = different(read, codes);
    return true;
  }

  /** How many different ones are valid: two within a renewal, else one. Waits for no file. */
  public int valid() {
    return valid;
  }

  private static int different(ClusterSecrets secrets, byte[] codes) {
    int half = codes.length / 2;
    byte[] first = Arrays.copyOf(codes, half);
    byte[] second = Arrays.copyOfRange(codes, half, codes.length);
    return secrets.valid().size() == 1 || MessageDigest.isEqual(first, second) ? 1 : 2;
  }

  /** Which are the same for the same secrets, and from which no secret can be told. */
  private static byte[] codes(ClusterSecrets secrets) {
    byte[] codes = new byte[0];
    for (ClusterSecret each : secrets.valid()) {
      byte[] code = each.newMac().doFinal(COMPARED);
      byte[] both = new byte[codes.length + code.length];
      System.arraycopy(codes, 0, both, 0, codes.length);
      System.arraycopy(code, 0, both, codes.length, code.length);
      codes = both;
    }
    return codes;
  }
}
