package io.reactivetransfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
        .withMessageContaining("read-only")
        .withMessageContaining("copy it to writable memory")
        .withMessageContaining("PRIVATE");
  }

  /** The way out that the refusal names. */
  @Test
  void aFileThatIsNotToChangeCanBeMappedPrivate(@TempDir Path folder) throws IOException {
    Path file = Files.write(folder.resolve("file"), new byte[10]);
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment mapped = channel.map(FileChannel.MapMode.PRIVATE, 0, 10, Arena.ofAuto());
      assertThat(new HostMemory(mapped).length()).isEqualTo(10);
      mapped.fill((byte) 1);
    }
    assertThat(file).hasBinaryContent(new byte[10]);
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
    Device gpu = Device.of("gpu", 0);
    assertThat(new DeviceMemory(gpu, 1, Long.MAX_VALUE).length()).isEqualTo(Long.MAX_VALUE);
    assertThat(new DeviceMemory(gpu, -1, 1).device()).isEqualTo(gpu);
    assertThatIllegalArgumentException().isThrownBy(() -> new DeviceMemory(gpu, -1, 2));
    assertThatIllegalArgumentException().isThrownBy(() -> new DeviceMemory(gpu, 0, 1));
    assertThatIllegalArgumentException().isThrownBy(() -> new DeviceMemory(gpu, 1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new DeviceMemory(gpu, 1, -1));
    assertThatIllegalArgumentException().isThrownBy(() -> new DeviceMemory(Device.HOST, 1, 1));
  }

  @Test
  void partsOfDeviceMemoryLieWithinIt() {
    DeviceMemory memory = new DeviceMemory(Device.of("gpu", 1), 4_096, 100);
    assertThat(memory.slice(40, 60)).isEqualTo(new DeviceMemory(Device.of("gpu", 1), 4_136, 60));
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> memory.slice(41, 60));
  }

  @Test
  void devicesHaveAKindAndANumber() {
    assertThat(Device.of("cuda", 3)).hasToString("cuda:3");
    assertThat(Device.HOST).hasToString("host");
    assertThat(new HostMemory(Arena.ofAuto().allocate(1)).device()).isEqualTo(Device.HOST);
    assertThat(Device.of("cuda", 2)).isLessThan(Device.of("cuda", 10));
    assertThatIllegalArgumentException().isThrownBy(() -> Device.of("cuda", -1));
    assertThatIllegalArgumentException().isThrownBy(() -> Device.of("", 0));
    assertThatIllegalArgumentException().isThrownBy(() -> Device.of("CUDA", 0));
    assertThatIllegalArgumentException().isThrownBy(() -> Device.of("a".repeat(33), 0));
  }

  @Test
  void accessSaysWhoMayWrite() {
    assertThat(Access.LOCAL.allowsRemoteWrite()).isFalse();
    assertThat(Access.REMOTE_WRITE.allowsRemoteWrite()).isTrue();
    assertThat(Access.REMOTE_WRITE.allows(Access.LOCAL)).isTrue();
    assertThat(Access.LOCAL.and(Access.REMOTE_WRITE)).isSameAs(Access.REMOTE_WRITE);
  }

  @Test
  void accessKeepsBitsThatItDoesNotKnow() {
    Access more = Access.ofBits(0b101);
    assertThat(more.allowsRemoteWrite()).isTrue();
    assertThat(more.isKnown()).isFalse();
    assertThat(Access.REMOTE_WRITE.isKnown()).isTrue();
    assertThat(more.bits()).isEqualTo(0b101);
    assertThat(more).hasToString("REMOTE_WRITE|0x4").isEqualTo(Access.ofBits(5));
    assertThat(Access.ofBits(4)).hasToString("0x4");
    assertThat(Access.ofBits(0)).isSameAs(Access.LOCAL);
    assertThat(Access.REMOTE_WRITE.allows(more)).isFalse();
    assertThatIllegalArgumentException().isThrownBy(() -> Access.ofBits(256));
    assertThatIllegalArgumentException().isThrownBy(() -> Access.ofBits(-1));
  }
}
