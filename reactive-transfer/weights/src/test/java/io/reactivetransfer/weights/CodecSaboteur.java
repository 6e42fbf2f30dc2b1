package io.reactivetransfer.weights;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;

/** Codecs with one mistake each: a fuzzer has to find them. */
public enum CodecSaboteur {
  /** It makes none. */
  NONE {
    @Override
    public <T> T decode(byte[] bytes, UnaryOperator<byte[]> seal, Function<byte[], T> sound) {
      return sound.apply(bytes);
    }
  },

  /** What was changed on the way is read, too. */
  TAKES_ANY_CHECKSUM {
    @Override
    public <T> T decode(byte[] bytes, UnaryOperator<byte[]> seal, Function<byte[], T> sound) {
      return sound.apply(seal.apply(bytes));
    }
  },

  /** What is behind a message is not looked at. */
  LEAVES_SOMETHING_UNREAD {
    @Override
    public <T> T decode(byte[] bytes, UnaryOperator<byte[]> seal, Function<byte[], T> sound) {
      IllegalArgumentException refused;
      try {
        return sound.apply(bytes);
      } catch (IllegalArgumentException e) {
        refused = e;
      }
      boolean isWhole = Arrays.equals(bytes, seal.apply(bytes));
      for (int cut = 1; isWhole && cut <= MOST_CUT && cut < bytes.length; cut++) {
        try {
          return sound.apply(seal.apply(Arrays.copyOf(bytes, bytes.length - cut)));
        } catch (IllegalArgumentException e) {
          refused = e;
        }
      }
      throw refused;
    }
  },

  /** It stumbles over what it should refuse. */
  STUMBLES {
    @Override
    public <T> T decode(byte[] bytes, UnaryOperator<byte[]> seal, Function<byte[], T> sound) {
      try {
        return sound.apply(bytes);
      } catch (IllegalArgumentException e) {
        throw new IndexOutOfBoundsException(e.getMessage());
      }
    }
  };

  private static final int MOST_CUT = 16;

  /**
   * Reads bytes, in its own way.
   *
   * @param seal gives bytes the checksum that fits
   * @param sound how they should be read
   */
  public abstract <T> T decode(byte[] bytes, UnaryOperator<byte[]> seal, Function<byte[], T> sound);

  /** The same, of messages that end in the CRC-32C of all before. */
  public <T> T decode(byte[] bytes, Function<byte[], T> sound) {
    return decode(bytes, CodecSaboteur::sealed, sound);
  }

  /** With the checksum that fits. */
  public static byte[] sealed(byte[] bytes) {
    byte[] sealed = bytes.clone();
    if (sealed.length >= Integer.BYTES) {
      int end = sealed.length - Integer.BYTES;
      CRC32C checksum = new CRC32C();
      checksum.update(sealed, 0, end);
      ByteBuffer.wrap(sealed).putInt(end, (int) checksum.getValue());
    }
    return sealed;
  }
}
