package io.reactivetransfer.control;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

/**
 * The public keys of Ed25519 under which signatures hold that nobody has made with a private key:
 * points whose order is 1, 2, 4 or 8. Nobody draws one of them.
 */
final class SmallOrder {

  private static final int POINT_BYTES = 32;

  /** Their second coordinates, least byte first, also where they are written as p or p + 1. */
  private static final List<byte[]> POINTS =
      List.of(
          point("00".repeat(POINT_BYTES)),
          point("01" + "00".repeat(POINT_BYTES - 1)),
          point("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"),
          point("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"),
          point("ec" + "ff".repeat(POINT_BYTES - 2) + "7f"),
          point("ed" + "ff".repeat(POINT_BYTES - 2) + "7f"),
          point("ee" + "ff".repeat(POINT_BYTES - 2) + "7f"));

  private SmallOrder() {}

  private static byte[] point(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  /** Whether a key, in its X.509 encoding, is one of them. */
  static boolean isOf(byte[] key) {
    byte[] point = Arrays.copyOfRange(key, key.length - POINT_BYTES, key.length);
    point[POINT_BYTES - 1] &= 0x7f; // without the sign of the first coordinate
    return POINTS.stream().anyMatch(each -> Arrays.equals(each, point));
  }
}
