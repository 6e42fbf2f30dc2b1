package io.reactivetransfer.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.spi.BackendException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class FabricAddressTest {

  private static final FabricAddress ADDRESS = new FabricAddress("tcp;ofi_rxm", 42);

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
    assertThat(FabricAddress.decode(ADDRESS.encode())).isEqualTo(ADDRESS);
  }

  @Test
  void anAddressWithoutProviderIsRefusedAndSoIsALongOne() {
    byte[] whole = ADDRESS.encode();
    for (int length = 0; length <= 9; length++) {
      assertThat(refusal(Arrays.copyOf(whole, length)))
          .as("of %s bytes", length)
          .startsWith("not the address of a libfabric NIC: expected ");
    }
    assertThat(refusal(Arrays.copyOf(whole, 300))).contains("1 to 64 bytes", "got 300 bytes");
  }

  @Test
  void anotherVersionIsRefusedByItsNumber() {
    byte[] bytes = ADDRESS.encode();
    bytes[0] = -2;
    assertThat(refusal(bytes)).endsWith("expected version 2, got version 254");
  }

  /** It is shown where a peer of another provider is refused. */
  @Test
  void aProviderIsPrintable() {
    for (byte unfit : new byte[] {0, '\n', 0x1b, ' ', 0x7f, (byte) 0x85, -1}) {
      byte[] bytes = ADDRESS.encode();
      bytes[10] = unfit;
      assertThat(refusal(bytes)).contains("expected printable US-ASCII as provider");
    }
  }
}
