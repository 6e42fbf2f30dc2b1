package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNoException;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The bytes by which engines name themselves and their memory to each other. */
class DescriptorFormTest {

  private static final int ROUNDS = Integer.getInteger("reactivetransfer.rounds", 1);
  private static final EngineId ID = new EngineId(0x0123456789abcdefL, 0xfedcba9876543210L);

  private static final PeerAddress ADDRESS =
      new PeerAddress("tcp", ID, new HostPort("decode-3", 7400));

  private static final RegionDescriptor DESCRIPTOR =
      new RegionDescriptor(
          ADDRESS,
          0x77,
          0x1122334455L,
          Access.REMOTE_WRITE,
          List.of(new byte[] {(byte) 0xe0, 2, 3}, new byte[] {(byte) 0xe1}));

  /**
   * Version 2 for ever: who stored such bytes can read them with every later release. Made from the
   * table in docs/wire-format.md, with a CRC-32C computed bit by bit, not by what is tested here.
   */
  private static final String ADDRESS_V2 =
      "525441" // RTA
          + "02" // version
          + "0003"
          + "746370" // backend
          + "0123456789abcdef"
          + "fedcba9876543210" // engine
          + "0008"
          + "6465636f64652d33" // host
          + "1ce8" // port
          + "fa82afdb";

  private static final String DESCRIPTOR_V2 =
      "525444" // RTD
          + "02" // version
          + "0003"
          + "746370"
          + "0123456789abcdef"
          + "fedcba9876543210"
          + "0008"
          + "6465636f64652d33"
          + "1ce8"
          + "0000000000000077" // number
          + "0000001122334455" // length
          + "01" // access
          + "02" // keys
          + "0003"
          + "e00203"
          + "0001"
          + "e1"
          + "d9cd1e31";

  /** The two forms, so that each rule is tested on both. */
  enum Form {
    ADDRESS(DescriptorFormTest.ADDRESS, ADDRESS_V2, PeerAddress::fromBytes) {
      @Override
      byte[] bytes() {
        return DescriptorFormTest.ADDRESS.toBytes();
      }
    },
    DESCRIPTOR(DescriptorFormTest.DESCRIPTOR, DESCRIPTOR_V2, RegionDescriptor::fromBytes) {
      @Override
      byte[] bytes() {
        return DescriptorFormTest.DESCRIPTOR.toBytes();
      }
    };

    final Object value;
    final String golden;
    final Function<byte[], Object> reader;

    Form(Object value, String golden, Function<byte[], Object> reader) {
      this.value = value;
      this.golden = golden;
      this.reader = reader;
    }

    abstract byte[] bytes();
  }

  @ParameterizedTest
  @EnumSource
  void comeBackEqual(Form form) {
    Object back = form.reader.apply(form.bytes());
    assertThat(back).isEqualTo(form.value).hasSameHashCodeAs(form.value);
    assertThat(back).hasToString(form.value.toString());
  }

  @ParameterizedTest
  @EnumSource
  void keepTheirVersionForEver(Form form) {
    assertThat(HexFormat.of().formatHex(form.bytes())).isEqualTo(form.golden);
    assertThat(form.reader.apply(HexFormat.of().parseHex(form.golden))).isEqualTo(form.value);
  }

  @Test
  void keepTheirParts() {
    RegionDescriptor back = RegionDescriptor.fromBytes(DESCRIPTOR.toBytes());
    assertThat(back.owner()).isEqualTo(ADDRESS);
    assertThat(back.owner().backend()).isEqualTo("tcp");
    assertThat(back.owner().engine()).isEqualTo(ID);
    assertThat(back.owner().control()).isEqualTo(new HostPort("decode-3", 7400));
    assertThat(back.nics()).isEqualTo(2);
    assertThat(back.number()).isEqualTo(0x77);
    assertThat(back.length()).isEqualTo(0x1122334455L);
    assertThat(back.access()).isEqualTo(Access.REMOTE_WRITE);
    assertThat(back.key(0)).containsExactly(0xe0, 2, 3);
    assertThat(back.key(1)).containsExactly(0xe1);
    RegionDescriptor local =
        new RegionDescriptor(ADDRESS, 1, 1, Access.LOCAL, List.of(new byte[1], new byte[1]));
    assertThat(RegionDescriptor.fromBytes(local.toBytes()).access()).isEqualTo(Access.LOCAL);
  }

  @Test
  void theLargestOfEachIsReadable() {
    PeerAddress address =
        new PeerAddress("b".repeat(32), ID, new HostPort("h".repeat(255), 65_535));
    assertThat(PeerAddress.fromBytes(address.toBytes())).isEqualTo(address);
    assertThat(PeerAddress.fromText(address.toText())).isEqualTo(address);
    RegionDescriptor descriptor =
        new RegionDescriptor(
            address, 1, Long.MAX_VALUE, Access.REMOTE_WRITE, Collections.nCopies(8, new byte[64]));
    assertThat(RegionDescriptor.fromBytes(descriptor.toBytes())).isEqualTo(descriptor);
  }

  @ParameterizedTest
  @EnumSource
  void areRefusedWhenTruncated(Form form) {
    byte[] whole = form.bytes();
    for (int length = 0; length < whole.length; length++) {
      refused(form, Arrays.copyOf(whole, length), "truncated to " + length);
    }
  }

  @ParameterizedTest
  @EnumSource
  void areRefusedWhenAnyByteIsDamaged(Form form) {
    byte[] whole = form.bytes();
    for (int at = 0; at < whole.length; at++) {
      for (int flip = 1; flip < 256; flip++) {
        byte[] damaged = whole.clone();
        damaged[at] ^= (byte) flip;
        refused(form, damaged, "byte " + at + " xor " + flip);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void areRefusedWithBytesBehind(Form form) {
    byte[] whole = form.bytes();
    refused(form, Arrays.copyOf(whole, whole.length + 1), "one more");
    refused(form, sealed(Arrays.copyOf(whole, whole.length + 3)), "three more, checksum right");
  }

  @ParameterizedTest
  @EnumSource
  void ofAnotherVersionAreRefusedByItsNumber(Form form) {
    byte[] other = form.bytes();
    other[3] = (byte) 200;
    assertThatExceptionOfType(DescriptorFormatException.class)
        .isThrownBy(() -> form.reader.apply(sealed(other)))
        .withMessageContaining("version 2")
        .withMessageContaining("version 200");
  }

  @Test
  void areNotTakenForEachOther() {
    refused(Form.ADDRESS, DESCRIPTOR.toBytes(), "a descriptor");
    refused(Form.DESCRIPTOR, ADDRESS.toBytes(), "an address");
    byte[] wrong = ADDRESS.toBytes();
    wrong[0] = 'X';
    refused(Form.ADDRESS, sealed(wrong), "other letters, checksum right");
  }

  @ParameterizedTest
  @EnumSource
  void areRefusedWhenFarTooLong(Form form) {
    refused(form, sealed(Arrays.copyOf(form.bytes(), 8 * 1024 + 1)), "just above the bound");
    refused(form, sealed(Arrays.copyOf(form.bytes(), 1 << 20)), "a megabyte");
  }

  @ParameterizedTest
  @EnumSource
  void areRefusedWhenRandom(Form form) {
    long seed = new Random().nextLong();
    Random random = new Random(seed);
    for (int i = 0; i < 5_000 * ROUNDS; i++) {
      byte[] noise = new byte[random.nextInt(300)];
      random.nextBytes(noise);
      refused(form, noise, "seed " + seed + ", round " + i);
      if (noise.length >= 8) {
        System.arraycopy(form.bytes(), 0, noise, 0, 4);
        survived(form, sealed(noise), "seed " + seed + ", round " + i + ", checksum right");
      }
    }
  }

  /** Whoever damages on purpose can make the checksum right. */
  @ParameterizedTest
  @EnumSource
  void survivesAnyChangeWithARightChecksum(Form form) {
    byte[] whole = form.bytes();
    for (int at = 4; at < whole.length - 4; at++) {
      for (int value = 0; value < 256; value++) {
        byte[] changed = whole.clone();
        changed[at] = (byte) value;
        survived(form, sealed(changed), "byte " + at + " = " + value);
      }
    }
  }

  @Test
  void hasATextForm() {
    String text = ADDRESS.toText();
    assertThat(text).startsWith("rta:").matches("[\\x21-\\x7e]+");
    assertThat(PeerAddress.fromText(text)).isEqualTo(ADDRESS);
    assertThat(PeerAddress.fromText("  " + text + "\n")).isEqualTo(ADDRESS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "rta", "rta:", "rta:!", "rta:AAAA", "rtd:UlRB", "rta:UlRB\u00e4", "tcp://x:1"})
  void refusesTextThatIsNoAddress(String text) {
    assertThatExceptionOfType(DescriptorFormatException.class)
        .isThrownBy(() -> PeerAddress.fromText(text));
  }

  @Test
  void refusesDamagedText() {
    String text = ADDRESS.toText();
    for (int length = 0; length < text.length(); length++) {
      String cut = text.substring(0, length);
      assertThatExceptionOfType(DescriptorFormatException.class)
          .as("cut to %d", length)
          .isThrownBy(() -> PeerAddress.fromText(cut));
    }
  }

  @Test
  void doesNotShowItsKeys() {
    HexFormat hex = HexFormat.of();
    for (String shown : List.of(ADDRESS.toString(), DESCRIPTOR.toString())) {
      assertThat(shown)
          .contains("tcp", ID.toShortString(), "decode-3:7400")
          .doesNotContain("e002", "-32", hex.formatHex(new byte[] {-32, 2, 3}))
          .hasSizeLessThan(120);
    }
    RegionDescriptor otherKeys =
        new RegionDescriptor(
            ADDRESS,
            DESCRIPTOR.number(),
            DESCRIPTOR.length(),
            DESCRIPTOR.access(),
            List.of(new byte[] {7}, new byte[] {8}));
    assertThat(otherKeys).hasToString(DESCRIPTOR.toString()).isNotEqualTo(DESCRIPTOR);
  }

  @Test
  void errorsDoNotShowTheKeys() {
    byte[] damaged = DESCRIPTOR.toBytes();
    damaged[damaged.length - 1] ^= 1;
    assertThatExceptionOfType(DescriptorFormatException.class)
        .isThrownBy(() -> RegionDescriptor.fromBytes(damaged))
        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("e002", "224"))
        .withMessageContaining("checksum");
  }

  @Test
  void givesNobodyItsOwnArrays() {
    byte[] first = DESCRIPTOR.toBytes();
    Arrays.fill(DESCRIPTOR.toBytes(), (byte) 0);
    Arrays.fill(DESCRIPTOR.key(0), (byte) 0);
    Arrays.fill(ADDRESS.toBytes(), (byte) 0);
    assertThat(DESCRIPTOR.toBytes()).isEqualTo(first);
    assertThat(DESCRIPTOR.key(0)).containsExactly(0xe0, 2, 3);
  }

  @Test
  void differByEveryPart() {
    List<byte[]> keys = List.of(new byte[] {1}, new byte[] {2});
    List<RegionDescriptor> different =
        List.of(
            DESCRIPTOR,
            new RegionDescriptor(ADDRESS, 1, 5, Access.REMOTE_WRITE, keys),
            new RegionDescriptor(ADDRESS, 1, 6, Access.REMOTE_WRITE, keys),
            new RegionDescriptor(ADDRESS, 2, 6, Access.REMOTE_WRITE, keys),
            new RegionDescriptor(ADDRESS, 1, 6, Access.LOCAL, keys),
            new RegionDescriptor(
                ADDRESS, 1, 6, Access.LOCAL, List.of(new byte[] {1}, new byte[] {3})));
    assertThat(different).doesNotHaveDuplicates();
  }

  // ---- what must not be made in the first place, because nobody could read it ----

  @Test
  void refusesKeysThatNobodyCouldRead() {
    for (int length : new int[] {0, 65, 10_000}) {
      assertThatIllegalArgumentException()
          .as("key of %d bytes", length)
          .isThrownBy(() ->
              new RegionDescriptor(
                  ADDRESS, 1, 1, Access.REMOTE_WRITE, List.of(new byte[1], new byte[length])));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", " ", "two words", "\u00e4", "tab\t", "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"})
  void refusesBackendNamesThatNobodyCouldRead(String name) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new PeerAddress(name, ID, ADDRESS.control()));
  }

  @Test
  void refusesOtherThanOneToEightKeys() {
    for (int count : new int[] {0, 9}) {
      List<byte[]> keys = Collections.nCopies(count, new byte[1]);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new RegionDescriptor(ADDRESS, 1, 1, Access.LOCAL, keys))
          .withMessageContaining("1 to 8 NICs")
          .withMessageContaining("got " + count);
    }
  }

  /** Such bytes are right but for what they say: a host that is none, or no port. */
  @Test
  void refusesAnAddressWhereNobodyCanListen() {
    byte[] host = ADDRESS.toBytes();
    host[4 + 5 + 16 + 2] = '[';
    refused(Form.ADDRESS, sealed(host), "a bracket in the host");
    byte[] port = ADDRESS.toBytes();
    Arrays.fill(port, port.length - 6, port.length - 4, (byte) 0);
    refused(Form.ADDRESS, sealed(port), "port 0");
  }

  @Test
  void refusesADescriptorThatIsNotWhole() {
    List<byte[]> keys = List.of(new byte[1], new byte[1]);
    for (long length : new long[] {0, -1, Long.MIN_VALUE}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new RegionDescriptor(ADDRESS, 1, length, Access.LOCAL, keys));
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new RegionDescriptor(ADDRESS, length, 1, Access.LOCAL, keys));
    }
  }

  @Test
  void whateverIsMadeCanBeRead() {
    for (int nics = 1; nics <= 8; nics++) {
      List<byte[]> keys = IntStream.range(0, nics).mapToObj(i -> new byte[1 + i * 9]).toList();
      PeerAddress address = new PeerAddress("x", ID, new HostPort("h".repeat(nics * 31), nics));
      RegionDescriptor descriptor =
          new RegionDescriptor(address, 1, nics, Access.REMOTE_WRITE, keys);
      assertThatNoException().isThrownBy(() -> RegionDescriptor.fromBytes(descriptor.toBytes()));
      assertThat(PeerAddress.fromText(address.toText())).isEqualTo(address);
    }
  }

  /** By hand, because it is called a hundred thousand times. */
  private static void refused(Form form, byte[] bytes, String how) {
    try {
      form.reader.apply(bytes);
    } catch (DescriptorFormatException expected) {
      return;
    } catch (RuntimeException e) {
      throw new AssertionError("expected a DescriptorFormatException: " + how, e);
    }
    throw new AssertionError("expected a DescriptorFormatException, got a value: " + how);
  }

  /** What it reads is a value that writes the same bytes; what it does not, it refuses properly. */
  private static void survived(Form form, byte[] bytes, String how) {
    byte[] again;
    try {
      Object read = form.reader.apply(bytes);
      again =
          read instanceof PeerAddress address
              ? address.toBytes()
              : ((RegionDescriptor) read).toBytes();
    } catch (DescriptorFormatException expected) {
      return;
    } catch (RuntimeException e) {
      throw new AssertionError("expected a value or a DescriptorFormatException: " + how, e);
    }
    if (!Arrays.equals(again, bytes)) {
      throw new AssertionError("expected the value to write what was read: " + how);
    }
  }

  /** The same with a right checksum in the last four bytes. */
  private static byte[] sealed(byte[] bytes) {
    CRC32C checksum = new CRC32C();
    checksum.update(bytes, 0, bytes.length - 4);
    ByteBuffer.wrap(bytes).putInt(bytes.length - 4, (int) checksum.getValue());
    return bytes;
  }
}
