package io.reactivetransfer.tck;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import io.reactivetransfer.spi.DeviceAccess;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.ClassOrderer;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.TestClassOrder;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Runs the rules of chapter 28 of the specification on one {@link DeviceAccess}. Extend it, say how
 * memory of a device is had, and run it as any JUnit test class:
 *
 * <pre>{@code
 * class MyAccessConformanceTest extends DeviceConformance {
 *   @Override
 *   protected DeviceAccess access() {
 *     return new MyAccess();
 *   }
 *
 *   @Override
 *   protected DeviceMemory allocate(Device device, long bytes) {
 *     return new DeviceMemory(device, MyDriver.allocate(bytes), bytes);
 *   }
 *
 *   @Override
 *   protected void free(DeviceMemory memory) {
 *     MyDriver.free(memory.address(), memory.length());
 *   }
 * }
 * }</pre>
 *
 * <p>The rules cannot be overridden. What copies use is the first two of the devices; with one
 * only, copies from device to device are tried within that. An access that is not available on a
 * machine fails the class, as one, unless {@link Profile#skipIfUnavailable()} says otherwise. A
 * test takes up to 16 MiB of each device at a time, and frees it.
 */
@Execution(ExecutionMode.SAME_THREAD)
@ResourceLock("io.reactivetransfer.tck") // what a test leaves open is counted for the whole JVM
@TestClassOrder(ClassOrderer.OrderAnnotation.class)
@ExtendWith(AvailabilityCheck.class)
public abstract class DeviceConformance {

  /** For the test class of an access. */
  protected DeviceConformance() {}

  /**
   * The access under test, as an engine finds one: asked several times in each test, also before
   * the first one and of other objects of this class, and all that it returns reach the same
   * devices.
   */
  protected abstract DeviceAccess access();

  /**
   * Takes memory of a device, as an application does. On the thread of the test; the device is not
   * {@linkplain #keepBusy kept busy} then.
   *
   * @param device one that the access names
   * @param bytes 1 or more; what is in them does not matter
   * @return memory of just that length, whose address is a multiple of 8
   */
  protected abstract DeviceMemory allocate(Device device, long bytes);

  /** Gives memory back that {@link #allocate} has given; as that. */
  protected abstract void free(DeviceMemory memory);

  /**
   * Memory that is not there any more, which the device has to refuse. By default some that was
   * taken and freed.
   *
   * @param device one that the access names
   * @param bytes 1 or more
   */
  protected DeviceMemory freed(Device device, long bytes) {
    DeviceMemory memory = allocate(device, bytes);
    free(memory);
    return memory;
  }

  /**
   * Has the device itself write memory, and returns when it has: so that a copy which is not
   * complete when it returns is found. By default the access copies the bytes. From any thread.
   *
   * @param memory what {@link #allocate} has given
   * @param bytes for all of it
   */
  protected void write(DeviceMemory memory, byte[] bytes) {
    MemorySegment host = Arena.ofAuto().allocateFrom(ValueLayout.JAVA_BYTE, bytes);
    access().copyFromHost(host, 0, memory, 0, bytes.length);
  }

  /**
   * The bytes of memory as the device itself sees them now, past all that copies. By default the
   * access copies them. From any thread.
   *
   * @param memory what {@link #allocate} has given
   */
  protected byte[] read(DeviceMemory memory) {
    MemorySegment host = Arena.ofAuto().allocate(memory.length());
    access().copyToHost(memory, 0, host, 0, memory.length());
    return host.toArray(ValueLayout.JAVA_BYTE);
  }

  /**
   * Gives the device work, as an application does, which does not end by itself, such as a kernel
   * that spins or a stream that waits. In terms of CUDA, in a stream that the default one waits
   * for. Until it ends, memory is neither allocated nor freed.
   *
   * @param device one that the access names
   * @return ends it, from any thread, and returns when the device has nothing more to do; null, as
   *     by default, if this class cannot say how to do that: then the rule is skipped
   */
  protected @Nullable Runnable keepBusy(Device device) {
    return null;
  }

  /**
   * How long to wait, and what becomes of an access that is not available. What it says of NICs and
   * capabilities does not matter here.
   */
  protected Profile profile() {
    return Profile.defaults();
  }

  @Nested
  @Order(1)
  final class Presence extends DevicePresenceRules {
    Presence() {
      super(DeviceConformance.this);
    }
  }

  @Nested
  @Order(2)
  final class Copy extends DeviceCopyRules {
    Copy() {
      super(DeviceConformance.this);
    }
  }

  @Nested
  @Order(3)
  final class Peer extends DevicePeerRules {
    Peer() {
      super(DeviceConformance.this);
    }
  }

  @Nested
  @Order(4)
  final class Refusal extends DeviceRefusalRules {
    Refusal() {
      super(DeviceConformance.this);
    }
  }

  @Nested
  @Order(5)
  final class Staging extends DeviceStagingRules {
    Staging() {
      super(DeviceConformance.this);
    }
  }

  @Nested
  @Order(6)
  final class StagingEnd extends DeviceStagingEndRules {
    StagingEnd() {
      super(DeviceConformance.this);
    }
  }

  @Nested
  @Order(7)
  final class Word extends DeviceWordRules {
    Word() {
      super(DeviceConformance.this);
    }
  }

  @Nested
  @Order(8)
  final class ForNics extends DeviceNicRules {
    ForNics() {
      super(DeviceConformance.this);
    }
  }
}
