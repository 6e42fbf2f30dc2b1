package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** One case: a descriptor, damaged, and read. */
final class DescriptorFuzz {

  /** Shorter ones could stand in a text by chance. */
  private static final int MIN_SECRET_BYTES = 6;

  /** One of the two forms, so that each rule is checked on both. */
  abstract static class Form {
    abstract byte[] any(Input in);

    abstract Object read(byte[] bytes);

    abstract byte[] write(Object value);

    abstract Stream<byte[]> secrets(Object value);

    String text(Object value) {
      return value.toString();
    }

    static class Address extends Form {
      @Override
      byte[] any(Input in) {
        return address(in).toBytes();
      }

      @Override
      Object read(byte[] bytes) {
        return PeerAddress.fromBytes(bytes);
      }

      @Override
      byte[] write(Object value) {
        PeerAddress address = (PeerAddress) value;
        assertThat(PeerAddress.fromText(address.toText())).isEqualTo(address);
        return address.toBytes();
      }

      @Override
      Stream<byte[]> secrets(Object value) {
        return Stream.empty(); // it holds none
      }
    }

    static class Descriptor extends Form {
      @Override
      byte[] any(Input in) {
        PeerAddress owner = address(in);
        List<byte[]> keys =
            Stream.generate(() -> in.bytes(in.between(1, 64))).limit(in.between(1, 8)).toList();
        return new RegionDescriptor(
                owner,
                1 + (in.anyLong() >>> in.between(1, 63)),
                1 + (in.anyLong() >>> in.between(1, 62)),
                in.oneOf(ACCESSES),
                keys)
            .toBytes();
      }

      @Override
      Object read(byte[] bytes) {
        return RegionDescriptor.fromBytes(bytes);
      }

      @Override
      byte[] write(Object value) {
        return ((RegionDescriptor) value).toBytes();
      }

      @Override
      Stream<byte[]> secrets(Object value) {
        RegionDescriptor descriptor = (RegionDescriptor) value;
        return Stream.iterate(0, nic -> nic + 1).limit(descriptor.nics()).map(descriptor::key);
      }
    }
  }

  private static final List<Access> ACCESSES =
      List.of(Access.LOCAL, Access.REMOTE_WRITE, Access.ofBits(6), Access.ofBits(255));

  private DescriptorFuzz() {}

  static PeerAddress address(Input in) {
    String host = in.oneOf(List.of("decode-3", "10.0.0.7", "fd00::7", "h", "n".repeat(255)));
    HostPort control = new HostPort(host, in.between(1, 65_535));
    String backend = in.oneOf(List.of("tcp", "loopback", "b".repeat(32), "x"));
    return new PeerAddress(backend, new EngineId(in.anyLong(), in.anyLong()), control);
  }

  static void check(Input in, Form form) {
    byte[] whole = form.any(in);
    byte[] bytes = in.chance(2) ? whole : Mutation.some(in, whole);
    if (in.chance(80)) { // who damages on purpose makes the checksum right
      bytes = sealed(bytes, bytes.length);
    }
    byte[] given = bytes;
    in.note(() -> "original: " + HexFormat.of().formatHex(whole));
    in.note(() -> "given:    " + HexFormat.of().formatHex(given));
    Object value;
    try {
      value = form.read(given);
    } catch (DescriptorFormatException e) {
      assertThat(Arrays.equals(given, whole)).as("refuses what was written: %s", e).isFalse();
      assertThat(e).hasMessageStartingWith("not a").hasMessageContaining("expected");
      return;
    }
    if (!Arrays.equals(form.write(value), given)) {
      assertThat(form.write(value)).as("written again").isEqualTo(given);
    }
    assertThat(form.read(given)).isEqualTo(value).hasSameHashCodeAs(value);
    String text = form.text(value);
    form.secrets(value)
        .filter(secret -> secret.length >= MIN_SECRET_BYTES)
        .forEach(secret -> hides(text, secret));
    if (form instanceof Form.Address) {
      checkText(in, (PeerAddress) value);
    }
  }

  private static void hides(String text, byte[] secret) {
    assertThat(text)
        .doesNotContainIgnoringCase(HexFormat.of().formatHex(secret))
        .doesNotContain(Arrays.toString(secret))
        .doesNotContain(new String(secret, StandardCharsets.ISO_8859_1));
  }

  private static void checkText(Input in, PeerAddress address) {
    byte[] damaged = Mutation.some(in, address.toText().getBytes(StandardCharsets.ISO_8859_1));
    String text = new String(damaged, StandardCharsets.ISO_8859_1);
    in.note(() -> "as text:  " + text);
    try {
      PeerAddress read = PeerAddress.fromText(text);
      String given = text.strip().substring("rta:".length());
      assertThat(Base64.getUrlDecoder().decode(given)).isEqualTo(read.toBytes());
    } catch (DescriptorFormatException e) {
      assertThat(e).hasMessageContaining("a peer address");
    }
  }

  /** The first so many bytes, with a right checksum in the last four. */
  static byte[] sealed(byte[] bytes, int length) {
    byte[] sealed = Arrays.copyOf(bytes, length);
    if (length >= ByteForm.CHECKSUM_BYTES) {
      CRC32C checksum = new CRC32C();
      checksum.update(sealed, 0, length - ByteForm.CHECKSUM_BYTES);
      ByteBuffer.wrap(sealed).putInt(length - ByteForm.CHECKSUM_BYTES, (int) checksum.getValue());
    }
    return sealed;
  }
}
