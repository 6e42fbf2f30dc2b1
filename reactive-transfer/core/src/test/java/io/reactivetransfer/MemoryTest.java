package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class MemoryTest {

  @Test
  void hostMemoryIsNative() {
    try (Arena arena = Arena.ofShared()) {
      assertThat(new HostMemory(arena.allocate(10)).length()).isEqualTo(10);
    }
    assertThat(new HostMemory(Arena.ofAuto().allocate(1)).length()).isEqualTo(1);
    assertThat(new HostMemory(Arena.global().allocate(1)).length()).isEqualTo(1);
    assertThat(new HostMemory(MemorySegment.ofBuffer(ByteBuffer.allocateDirect(3))).length())
        .isEqualTo(3);
  }

  @Test
  void heapMemoryIsRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HostMemory(MemorySegment.ofArray(new byte[10])))
        .withMessageContaining("heap")
        .withMessageContaining("Arena");
  }

  @Test
  void readOnlyMemoryIsRefused() {
    MemorySegment memory = Arena.ofAuto().allocate(10).asReadOnly();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new HostMemory(memory))
        .withMessageContaining("read-only");
  }

  @Test
  void memoryOfOneThreadIsRefused() {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(10);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new HostMemory(memory))
          .withMessageContaining("ofShared");
    }
  }

  @Test
  void noMemoryIsRefused() {
    assertThatNullPointerException().isThrownBy(() -> new HostMemory(null));
  }

  @Test
  void deviceMemoryHasADeviceAnAddressAndALength() {
    assertThat(new DeviceMemory(0, -1, Long.MAX_VALUE).length()).isEqualTo(Long.MAX_VALUE);
    assertThatIllegalArgumentException().isThrownBy(() -> new DeviceMemory(-1, 1, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new DeviceMemory(0, 0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new DeviceMemory(0, 1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new DeviceMemory(0, 1, -1));
  }

  @Test
  void accessSaysWhoMayWrite() {
    assertThat(Access.LOCAL.allowsRemoteWrite()).isFalse();
    assertThat(Access.REMOTE_WRITE.allowsRemoteWrite()).isTrue();
  }
}
