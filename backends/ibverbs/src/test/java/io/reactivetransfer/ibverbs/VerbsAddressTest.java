package io.reactivetransfer.ibverbs;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.ibverbs.ffi.Gid;
import io.reactivetransfer.ibverbs.ffi.Ib;
import io.reactivetransfer.spi.BackendException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Where a NIC is found is told and understood, or refused with a reason. */
class VerbsAddressTest {

  private static final Gid IPV4 = new Gid(0, 0xffff_0a00_0001L);
  private static final VerbsAddress ADDRESS =
      new VerbsAddress(Ib.IBV_LINK_LAYER_ETHERNET, Ib.IBV_MTU_4096, 0, IPV4);

  private static String refusal(byte[] bytes) {
    try {
      VerbsAddress.decode(bytes);
    } catch (BackendException e) {
      return String.valueOf(e.getMessage());
    }
    throw new AssertionError("expected a refusal of " + Arrays.toString(bytes));
  }

  @Test
  void whatIsEncodedIsDecoded() {
    VerbsAddress infiniBand =
        new VerbsAddress(Ib.IBV_LINK_LAYER_INFINIBAND, Ib.IBV_MTU_256, 0xfffe, new Gid(1, -1));
    assertThat(VerbsAddress.decode(ADDRESS.encode())).isEqualTo(ADDRESS);
    assertThat(VerbsAddress.decode(infiniBand.encode())).isEqualTo(infiniBand);
  }

  @Test
  void anotherLengthIsRefused() {
    byte[] whole = ADDRESS.encode();
    for (int length = 0; length < whole.length; length++) {
      assertThat(refusal(Arrays.copyOf(whole, length)))
          .isEqualTo("not the address of a verbs NIC: expected 21 bytes, got " + length);
    }
    assertThat(refusal(Arrays.copyOf(whole, 22))).endsWith("got 22");
  }

  @Test
  void anotherVersionIsRefusedByItsNumber() {
    byte[] bytes = ADDRESS.encode();
    bytes[0] = 2;
    assertThat(refusal(bytes))
        .startsWith("expected version 1 of the address of a verbs NIC, got 2");
  }

  @Test
  void anMtuThatThereIsNotIsRefused() {
    for (byte mtu : new byte[] {0, 6, -1, 127}) {
      byte[] bytes = ADDRESS.encode();
      bytes[2] = mtu;
      assertThat(refusal(bytes))
          .isEqualTo("expected an MTU of code 1 to 5 in an address, got " + mtu);
    }
  }

  @Test
  void aGlobalRouteIsTakenOverEthernetAndWithoutALid() {
    assertThat(ADDRESS.isGlobal()).isTrue();
    assertThat(new VerbsAddress(Ib.IBV_LINK_LAYER_INFINIBAND, 5, 0, IPV4).isGlobal()).isTrue();
    assertThat(new VerbsAddress(Ib.IBV_LINK_LAYER_INFINIBAND, 5, 9, IPV4).isGlobal()).isFalse();
  }

  @Test
  void itIsShownAsPeopleWriteIt() {
    assertThat(ADDRESS).hasToString("10.0.0.1");
    assertThat(new VerbsAddress(Ib.IBV_LINK_LAYER_INFINIBAND, 5, 9, IPV4)).hasToString("LID 9");
    assertThat(VerbsAddress.mtuBytes(Ib.IBV_MTU_256)).isEqualTo(256);
    assertThat(VerbsAddress.mtuBytes(Ib.IBV_MTU_4096)).isEqualTo(4096);
  }
}
