package io.reactivetransfer.ibverbs.ffi;

/**
 * The speed of a link, which a port says by two codes.
 *
 * @see <a href="https://man7.org/linux/man-pages/man3/ibv_query_port.3.html">ibv_query_port(3)</a>
 */
final class LinkSpeed {

  private LinkSpeed() {}

  /** Of all lanes together; 0 if a code is not known. */
  static long bitsPerSecond(int width, int speed) {
    return lanes(width) * bitsPerSecondOfLane(speed);
  }

  private static long lanes(int width) {
    return switch (width) {
      case 1 -> 1;
      case 2 -> 4;
      case 4 -> 8;
      case 8 -> 12;
      case 16 -> 2;
      default -> 0;
    };
  }

  private static long bitsPerSecondOfLane(int speed) {
    return switch (speed) {
      case 1 -> 2_500_000_000L; // SDR
      case 2 -> 5_000_000_000L; // DDR
      case 4, 8 -> 10_000_000_000L; // QDR, FDR10
      case 16 -> 14_000_000_000L; // FDR
      case 32 -> 25_000_000_000L; // EDR
      case 64 -> 50_000_000_000L; // HDR
      case 128 -> 100_000_000_000L; // NDR
      default -> 0;
    };
  }
}
