package io.reactivetransfer.tck;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.DeviceAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What a rule about an access needs: the access, memory of its devices, bytes. One thread at a
 * time, but for {@link #read} and {@link #write}.
 */
final class DeviceGround implements AutoCloseable {

  /** Of devices that copies are tried with: one more shows nothing, and may be in use. */
  private static final int MOST_DEVICES = 2;

  private final DeviceConformance kit;
  private final Patience patience;
  private final Random random;
  private final DeviceAccess access;
  private final List<DeviceMemory> allocated = new ArrayList<>();

  DeviceGround(DeviceConformance kit, long seed) {
    this.kit = kit;
    Profile profile = kit.profile();
    this.patience = new Patience(profile.signalTimeout(), profile.silence());
    this.random = new Random(seed);
    this.access = kit.access();
  }

  DeviceAccess access() {
    return access;
  }

  /** One as another engine finds it. */
  DeviceAccess another() {
    return kit.access();
  }

  Patience patience() {
    return patience;
  }

  /** Those that copies are tried with: one or two. */
  List<Device> devices() {
    List<Device> all = access.devices();
    assertThat(all).as("devices to try copies with").isNotEmpty();
    return all.subList(0, Math.min(MOST_DEVICES, all.size()));
  }

  /** Freed with this. */
  DeviceMemory allocate(Device device, long bytes) {
    DeviceMemory memory = kit.allocate(device, bytes);
    allocated.add(memory);
    assertThat(memory.length()).as("bytes that the test class has allocated").isEqualTo(bytes);
    return memory;
  }

  /** The same, with these bytes. */
  DeviceMemory allocate(Device device, byte[] bytes) {
    DeviceMemory memory = allocate(device, bytes.length);
    write(memory, bytes);
    return memory;
  }

  /** Frees it now. */
  void free(DeviceMemory memory) {
    allocated.remove(memory);
    kit.free(memory);
  }

  DeviceMemory freed(Device device, long bytes) {
    return kit.freed(device, bytes);
  }

  void write(DeviceMemory memory, byte[] bytes) {
    kit.write(memory, bytes);
  }

  byte[] read(DeviceMemory memory) {
    return kit.read(memory);
  }

  @Nullable Runnable keepBusy(Device device) {
    return kit.keepBusy(device);
  }

  byte[] noise(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  /** Memory of the host with these bytes. */
  static MemorySegment host(byte[] bytes) {
    return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, bytes);
  }

  static byte[] bytes(MemorySegment host) {
    return host.toArray(ValueLayout.JAVA_BYTE);
  }

  /** Does it on another thread, for no longer than a signal may take. */
  void elsewhere(String what, Runnable work) {
    together(1, what, _ -> work.run());
  }

  /** Does it on so many threads at once, each of which is given its number. */
  void together(int threads, String what, IntConsumer work) {
    List<CompletableFuture<Void>> ends = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      int number = i;
      CompletableFuture<Void> end = new CompletableFuture<>();
      ends.add(end);
      Thread thread = new Thread(() -> run(() -> work.accept(number), end), "tck-device-" + i);
      thread.setDaemon(true); // what never comes back is told, and keeps no process
      thread.start();
    }
    long deadline = System.nanoTime() + patience.signal().toNanos();
    for (CompletableFuture<Void> end : ends) {
      await(end, deadline, what);
    }
  }

  private static void run(Runnable work, CompletableFuture<Void> end) {
    try {
      work.run();
      end.complete(null);
    } catch (Throwable failure) { // told by who waits
      end.completeExceptionally(failure);
    }
  }

  private void await(CompletableFuture<Void> end, long deadline, String what) {
    try {
      end.get(Math.max(1, deadline - System.nanoTime()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError("expected the end of " + what + " within " + patience.signal(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new AssertionError("expected the end of " + what + ", was interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof AssertionError broken) {
        throw broken;
      }
      throw new AssertionError("expected no exception of " + what + ", got " + e.getCause(), e);
    }
  }

  @Override
  public void close() {
    allocated.forEach(kit::free);
    allocated.clear();
  }
}
