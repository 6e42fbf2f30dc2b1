package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.reactivetransfer.spi.BackendException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FabricAddressTest {

  private static final FabricAddress ADDRESS =
      new FabricAddress("tcp;ofi_rxm", 42, new byte[] {1, 2, 3});

  private static String refusal(byte[] bytes) {
    try {
      FabricAddress.decode(bytes);
    } catch (BackendException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("expected a refusal of " + Arrays.toString(bytes));
  }

  @Test
  void whatIsEncodedIsDecoded() {
    FabricAddress decoded = FabricAddress.decode(ADDRESS.encode());
    assertThat(decoded.provider()).isEqualTo("tcp;ofi_rxm");
    assertThat(decoded.instance()).isEqualTo(42);
    assertThat(decoded.name()).containsExactly(1, 2, 3);
  }

  @Test
  void everyCutOffAddressIsRefused() {
    byte[] whole = ADDRESS.encode();
    int name = ADDRESS.name().length;
    for (int length = 0; length <= whole.length - name; length++) {
      assertThat(refusal(Arrays.copyOf(whole, length)))
          .as("of %s bytes", length)
          .startsWith("not the address of a libfabric NIC: expected ");
    }
  }

  @Test
  void anotherVersionIsRefusedByItsNumber() {
    byte[] bytes = ADDRESS.encode();
    bytes[0] = -2;
    assertThat(refusal(bytes)).endsWith("expected version 1, got version 254");
  }

  /** It is shown where a peer of another provider is refused. */
  @Test
  void aProviderIsPrintable() {
    for (byte unfit : new byte[] {0, '\n', 0x1b, ' ', 0x7f, (byte) 0x85, -1}) {
      byte[] bytes = ADDRESS.encode();
      bytes[3] = unfit;
      assertThat(refusal(bytes)).contains("expected printable US-ASCII as provider");
    }
  }

  @Test
  void aNameIsNeitherEmptyNorLong() {
    assertThat(refusal(Arrays.copyOf(ADDRESS.encode(), 300))).contains("1 to 128 bytes of name");
    for (int length : new int[] {0, 129}) {
      assertThatExceptionOfType(BackendException.class)
          .isThrownBy(() -> new FabricAddress("tcp", 0, new byte[length]))
          .withMessageContaining("1 to 128 bytes, got " + length);
    }
  }
}
