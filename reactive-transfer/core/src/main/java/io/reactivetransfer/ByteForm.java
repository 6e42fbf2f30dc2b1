package io.reactivetransfer;

/**
 * The frame that all encoded values share: three letters, one version byte, the content, and the
 * CRC-32C of all before it. All numbers are big-endian.
 */
enum ByteForm {
  PEER_ADDRESS("a peer address", "RTA", 2),
  REGION_DESCRIPTOR("a region descriptor", "RTD", 2);

  /** The longest encoded value: far above what 8 NICs need, far below what could hurt. */
  static final int MAX_BYTES = 8 * 1024;

  static final int HEADER_BYTES = 4;
  static final int CHECKSUM_BYTES = 4;

  final String what;
  final String magic;
  final int version;

  ByteForm(String what, String magic, int version) {
    this.what = what;
    this.magic = magic;
    this.version = version;
  }
}
