package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import org.junit.jupiter.api.Test;

/** Engine ids, NICs and messages. */
class IdentityTest {

  @Test
  void anIdIsShownInHexadecimal() {
    EngineId id = new EngineId(0x0123456789abcdefL, -1);
    assertThat(id).hasToString("0123456789abcdefffffffffffffffff");
    assertThat(id.toShortString()).isEqualTo("01234567");
  }

  @Test
  void idsAreOrderedAsTheyAreShown() {
    EngineId small = new EngineId(1, -1);
    EngineId large = new EngineId(-1, 0);
    assertThat(small).isLessThan(large);
    assertThat(new EngineId(1, 1)).isLessThan(small);
    assertThat(small).isEqualByComparingTo(new EngineId(1, -1));
  }

  @Test
  void aNicHasAName() {
    assertThat(Nic.named("eth0")).isEqualTo(Nic.named("eth0").withNumaNode(-1));
    assertThatIllegalArgumentException().isThrownBy(() -> Nic.named(" "));
    assertThatNullPointerException().isThrownBy(() -> Nic.named(null));
  }

  @Test
  void aMessageCannotBeChanged() {
    Message message = new Message(new FakePeer(1), ByteBuffer.wrap(new byte[] {1, 2}));
    assertThat(message.bytes().remaining()).isEqualTo(2);
    assertThatExceptionOfType(ReadOnlyBufferException.class)
        .isThrownBy(() -> message.bytes().put((byte) 3));
  }
}
