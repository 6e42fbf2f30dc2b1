package io.reactivetransfer;

import java.util.Base64;
import java.util.Objects;

/**
 * Where an engine can be reached, and which engine that is: the name of its backend, its id, and
 * host and port of its control channel. A process that is started again at the same host and port
 * is another engine, and is not taken for this one.
 *
 * <p>A value; hand its bytes to the other side by whatever means the application has. They are a
 * stable form with a version and a checksum. Where host and port are all that is known, {@link
 * TransferEngine#peer(HostPort)} finds out the rest.
 *
 * @param backend name of the backend, 1 to 32 printable letters of US-ASCII, no blanks
 * @param engine id of the engine
 * @param control where its control channel listens
 */
public record PeerAddress(String backend, EngineId engine, HostPort control) {

  private static final int MAX_NAME_BYTES = 32;
  private static final String TEXT_PREFIX = "rta:";

  /** Checks the name. */
  public PeerAddress {
    Objects.requireNonNull(backend, "backend");
    Objects.requireNonNull(engine, "engine");
    Objects.requireNonNull(control, "control");
    int length = backend.length();
    if (length < 1 || length > MAX_NAME_BYTES || !backend.chars().allMatch(PeerAddress::isOfName)) {
      throw new IllegalArgumentException(
          "expected a backend name of 1 to "
              + MAX_NAME_BYTES
              + " printable letters of US-ASCII without blanks, got '"
              + backend
              + "'");
    }
  }

  private static boolean isOfName(int letter) {
    return letter > ' ' && letter < 0x7f;
  }

  /** The stable binary form. */
  public byte[] toBytes() {
    ByteWriter out = new ByteWriter(ByteForm.PEER_ADDRESS);
    writeTo(out);
    return out.toBytes();
  }

  /** The binary form as one line of printable text, for a file or a command line. */
  public String toText() {
    return TEXT_PREFIX + Base64.getUrlEncoder().withoutPadding().encodeToString(toBytes());
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
    out.text(control.host());
    out.u16(control.port());
  }

  static PeerAddress readFrom(ByteReader in) {
    String backend = in.text("backend name", MAX_NAME_BYTES);
    EngineId engine = in.id("engine id");
    String host = in.text("host", HostPort.MAX_HOST);
    int port = in.u16("port", 1);
    try {
      return new PeerAddress(backend, engine, new HostPort(host, port));
    } catch (IllegalArgumentException e) {
      throw new DescriptorFormatException("not a peer address: " + e.getMessage());
    }
  }

  private static String clip(String text) {
    return text.length() <= 16 ? "'" + text + "'" : "'" + text.substring(0, 16) + "...'";
  }

  /** Backend, the first digits of the id, host and port. */
  @Override
  public String toString() {
    return backend + ":" + engine.toShortString() + "@" + control;
  }
}
