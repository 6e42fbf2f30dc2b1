package io.reactivetransfer;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;

/**
 * Where an engine can be reached: its backend, its id, and for each of its NICs the backend's own
 * address and the key of a doorbell, which lets a bare immediate be sent without any user memory.
 *
 * <p>A value; hand its bytes to the other side by whatever means the application has. They are a
 * stable form with a version and a checksum. The doorbell keys are capabilities: {@link
 * #toString()} does not show them, {@link #toText()} and {@link #toBytes()} do.
 */
public final class PeerAddress {

  /** The most NICs that one engine may have. */
  public static final int MAX_NICS = 8;

  private static final int MAX_NAME_BYTES = 32;
  private static final int MAX_ADDRESS_BYTES = 256;
  private static final int MAX_KEY_BYTES = 64;
  private static final String TEXT_PREFIX = "rta:";

  /**
   * One NIC of an engine. The arrays belong to the backend that made or resolves them; nobody
   * changes them.
   *
   * @param address the backend's address of the NIC, 1 to 256 bytes
   * @param doorbellKey the key of the doorbell region on this NIC, 1 to 64 bytes
   */
  @SuppressWarnings("ArrayRecordComponent") // compared through the address's encoded form only
  public record NicAddress(byte[] address, byte[] doorbellKey) {

    /** Checks the lengths. */
    public NicAddress {
      requireLength("a NIC address", address.length, MAX_ADDRESS_BYTES);
      requireLength("a doorbell key", doorbellKey.length, MAX_KEY_BYTES);
    }
  }

  private final String backend;
  private final EngineId engine;
  private final List<NicAddress> nics;
  private final byte[] encoded;

  /**
   * Made by an engine for itself.
   *
   * @param backend name of the backend, 1 to 32 printable letters of US-ASCII, no blanks
   * @param engine id of the engine
   * @param nics 1 to 8 NICs
   */
  public PeerAddress(String backend, EngineId engine, List<NicAddress> nics) {
    requireLength("a backend name", backend.length(), MAX_NAME_BYTES);
    if (!backend.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw new IllegalArgumentException(
          "expected printable US-ASCII without blanks as a backend name, got '" + backend + "'");
    }
    requireLength("the NICs of a peer", nics.size(), MAX_NICS);
    this.backend = backend;
    this.engine = engine;
    this.nics = List.copyOf(nics);
    ByteWriter out = new ByteWriter(ByteForm.PEER_ADDRESS);
    writeTo(out);
    this.encoded = out.toBytes();
  }

  /** Name of the backend that can reach this address. */
  public String backend() {
    return backend;
  }

  /** Id of the engine. */
  public EngineId engine() {
    return engine;
  }

  /** Its NICs, in the engine's order. */
  public List<NicAddress> nics() {
    return nics;
  }

  /** The stable binary form. */
  public byte[] toBytes() {
    return encoded.clone();
  }

  /** The binary form as one line of printable text, for a file or a command line. */
  public String toText() {
    return TEXT_PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(encoded);
  }

  /**
   * Reads what {@link #toBytes()} wrote.
   *
   * @throws DescriptorFormatException if the bytes are anything else
   */
  public static PeerAddress fromBytes(byte[] bytes) {
    Objects.requireNonNull(bytes, "bytes");
    ByteReader in = new ByteReader(ByteForm.PEER_ADDRESS, bytes);
    PeerAddress address = readFrom(in);
    in.end();
    return address;
  }

  /**
   * Reads what {@link #toText()} wrote.
   *
   * @throws DescriptorFormatException if the text is anything else
   */
  public static PeerAddress fromText(String text) {
    Objects.requireNonNull(text, "text");
    String trimmed = text.strip();
    if (!trimmed.startsWith(TEXT_PREFIX)) {
      throw new DescriptorFormatException(
          "expected a peer address that starts with '" + TEXT_PREFIX + "', got " + clip(trimmed));
    }
    byte[] bytes;
    try {
      bytes = Base64.getUrlDecoder().decode(trimmed.substring(TEXT_PREFIX.length()));
    } catch (IllegalArgumentException e) {
      throw new DescriptorFormatException("a peer address that is not base64url: " + clip(trimmed));
    }
    return fromBytes(bytes);
  }

  void writeTo(ByteWriter out) {
    out.text(backend);
    out.id(engine);
    out.u8(nics.size());
    for (NicAddress nic : nics) {
      out.bytes(nic.address());
      out.bytes(nic.doorbellKey());
    }
  }

  static PeerAddress readFrom(ByteReader in) {
    String backend = in.text("backend name", MAX_NAME_BYTES);
    EngineId engine = in.id("engine id");
    int count = in.u8("number of NICs", 1, MAX_NICS);
    List<NicAddress> nics = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      byte[] address = in.bytes("NIC address", MAX_ADDRESS_BYTES);
      nics.add(new NicAddress(address, in.bytes("doorbell key", MAX_KEY_BYTES)));
    }
    return new PeerAddress(backend, engine, nics);
  }

  private static void requireLength(String what, int length, int max) {
    if (length < 1 || length > max) {
      throw new IllegalArgumentException(
          "expected 1 to " + max + " for " + what + ", got " + length);
    }
  }

  private static String clip(String text) {
    return text.length() <= 16 ? "'" + text + "'" : "'" + text.substring(0, 16) + "...'";
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof PeerAddress that && Arrays.equals(encoded, that.encoded);
  }

  @Override
  public int hashCode() {
    return engine.hashCode();
  }

  /** Backend, id and number of NICs; no keys. */
  @Override
  public String toString() {
    return backend + ":" + engine.toShortString() + "/" + nics.size();
  }
}
