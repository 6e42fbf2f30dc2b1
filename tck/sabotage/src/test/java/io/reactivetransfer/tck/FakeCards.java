package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.DeviceAccess;
import io.reactivetransfer.spi.StagingBuffer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Access to two devices, of which the first is open to NICs: what one {@link FakeDevice} does not
 * have. Any two accesses reach the same two, which are of this JVM.
 */
final class FakeCards implements DeviceAccess {

  private static final Device FIRST = Device.of("card", 0);

  static final FakeDevice OPEN = new FakeDevice(FIRST);
  static final FakeDevice SHUT = new FakeDevice(Device.of("card", 1));

  /** What an application has given them to do, whichever of the two; for a defect to wait for. */
  private static volatile @Nullable CountDownLatch work;

  /** Gives them something to do; returns what ends it. */
  static Runnable keepBusy() {
    CountDownLatch given = new CountDownLatch(1);
    work = given;
    return () -> {
      work = null;
      given.countDown();
    };
  }

  /** Until what they were given is done. */
  static void awaitWork() {
    CountDownLatch given = work;
    try {
      if (given != null) {
        given.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  static FakeDevice card(Device device) {
    return device.equals(FIRST) ? OPEN : SHUT;
  }

  @Override
  public Availability availability() {
    return Availability.available();
  }

  @Override
  public List<Device> devices() {
    return Stream.of(OPEN, SHUT).flatMap(card -> card.devices().stream()).toList();
  }

  @Override
  public String pciAddress(Device device) {
    return "0000:3b:00." + device.ordinal();
  }

  @Override
  public void copyToHost(DeviceMemory from, long at, MemorySegment to, long toAt, long length) {
    card(from.device()).copyToHost(from, at, to, toAt, length);
  }

  @Override
  public void copyFromHost(MemorySegment from, long at, DeviceMemory to, long toAt, long length) {
    card(to.device()).copyFromHost(from, at, to, toAt, length);
  }

  @Override
  public StagingBuffer stagingBuffer(Device device, long bytes) {
    return card(device).stagingBuffer(device, bytes);
  }

  @Override
  public long peek(DeviceMemory memory, long offset) {
    return card(memory.device()).peek(memory, offset);
  }

  @Override
  public boolean isOpenToNics(Device device) {
    return card(device) == OPEN;
  }

  /** A file of the system: nothing is written through it. */
  @Override
  public DmaBuf exportDmaBuf(DeviceMemory memory) {
    if (!isOpenToNics(memory.device())) {
      return DeviceAccess.super.exportDmaBuf(memory);
    }
    long _ = OPEN.peek(memory, -memory.address() & 7); // refuses what was freed
    return Exported.open();
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof FakeCards;
  }

  @Override
  public int hashCode() {
    return FakeCards.class.hashCode();
  }

  /** A file descriptor, which Java tells of no file: by the name that nothing else has. */
  record Exported(FileChannel file, int descriptor) implements DmaBuf {

    static Exported open() {
      try {
        Path name = Files.createTempFile("exported", "");
        FileChannel file =
            FileChannel.open(name, StandardOpenOption.READ, StandardOpenOption.DELETE_ON_CLOSE);
        return new Exported(file, descriptorOf(name));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static int descriptorOf(Path name) throws IOException {
      try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
        return open.filter(each -> leadsTo(each, name))
            .mapToInt(each -> Integer.parseInt(each.getFileName().toString()))
            .findFirst()
            .orElseThrow(() -> new BackendException(0, "expected an open file " + name));
      }
    }

    private static boolean leadsTo(Path link, Path name) {
      try {
        return Files.readSymbolicLink(link).toString().startsWith(name.toString()); // "(deleted)"
      } catch (IOException e) {
        return false; // closed by now
      }
    }

    @Override
    public long offset() {
      return 0;
    }

    @Override
    public void close() {
      try {
        file.close();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
