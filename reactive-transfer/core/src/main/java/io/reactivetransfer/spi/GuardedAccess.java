package io.reactivetransfer.spi;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An access as drivers see it: what it throws is a {@link BackendException}, always. A class of its
 * library that is missing, or a context that was lost, is a refusal like any other for who copies,
 * and on the thread of a NIC anything else would end the engine.
 *
 * @param device for the texts
 * @param access somebody else's code
 */
record GuardedAccess(Device device, DeviceAccess access) implements DeviceAccess {

  /** Of what is for people. */
  private static final int MOST_LETTERS = 300;

  @Override
  public Availability availability() {
    try {
      return required("availability", access.availability());
    } catch (Throwable failure) {
      return Availability.unavailable(
          String.valueOf(refusal(failure).getMessage()), "tell those who have written it");
    }
  }

  @Override
  public List<Device> devices() {
    try {
      return List.copyOf(required("devices", access.devices()));
    } catch (Throwable failure) {
      throw refusal(failure);
    }
  }

  @Override
  public String kind() {
    return line("kind", access::kind);
  }

  @Override
  public String describe(Device which) {
    return line("describe", () -> access.describe(which));
  }

  /** What is for people: a line, whatever is said. */
  private String line(String call, Supplier<String> said) {
    String line;
    try {
      line = required(call, said.get());
    } catch (Throwable failure) {
      line = "unknown: " + refusal(failure).getMessage();
    }
    String whole = line.replaceAll("\\p{Cntrl}+", " ");
    return whole.length() <= MOST_LETTERS ? whole : whole.substring(0, MOST_LETTERS);
  }

  private static <T> T required(String call, @Nullable T answer) {
    if (answer == null) {
      throw new IllegalStateException("expected something of " + call + "(), got null");
    }
    return answer;
  }

  @Override
  public @Nullable String pciAddress(Device which) {
    try {
      return access.pciAddress(which);
    } catch (Throwable failure) {
      return null;
    }
  }

  @Override
  public void copyToHost(
      DeviceMemory source,
      long sourceOffset,
      MemorySegment target,
      long targetOffset,
      long length) {
    try { // without a lambda: nothing is allocated for a copy
      access.copyToHost(source, sourceOffset, target, targetOffset, length);
    } catch (Throwable failure) {
      throw refusal(failure);
    }
  }

  @Override
  public void copyFromHost(
      MemorySegment source,
      long sourceOffset,
      DeviceMemory target,
      long targetOffset,
      long length) {
    try {
      access.copyFromHost(source, sourceOffset, target, targetOffset, length);
    } catch (Throwable failure) {
      throw refusal(failure);
    }
  }

  @Override
  public StagingBuffer stagingBuffer(Device which, long bytes) {
    try {
      StagingBuffer buffer = access.stagingBuffer(which, bytes);
      try {
        return new GuardedBuffer(this, buffer, bytes);
      } catch (Throwable unfit) {
        buffer.close();
        throw unfit;
      }
    } catch (Throwable failure) {
      throw refusal(failure);
    }
  }

  @Override
  public void copy(
      DeviceMemory source, long sourceOffset, DeviceMemory target, long targetOffset, long length) {
    try {
      access.copy(source, sourceOffset, target, targetOffset, length);
    } catch (Throwable failure) {
      throw refusal(failure);
    }
  }

  /** Whether one access reaches the devices of both; not if it cannot say so. */
  boolean isOneWith(GuardedAccess other) {
    try {
      return access.equals(other.access);
    } catch (Throwable failure) {
      return false;
    }
  }

  @Override
  public long peek(DeviceMemory memory, long offset) {
    try { // without a lambda: each turn of an engine comes by here, and allocates nothing
      return access.peek(memory, offset);
    } catch (Throwable failure) {
      throw refusal(failure);
    }
  }

  @Override
  public boolean isOpenToNics(Device which) {
    try {
      return access.isOpenToNics(which);
    } catch (Throwable failure) {
      return false;
    }
  }

  @Override
  public Set<DeviceWay> waysForNics(Device which) {
    try {
      return Set.copyOf(access.waysForNics(which));
    } catch (Throwable failure) {
      return Set.of();
    }
  }

  @Override
  public DmaBuf exportDmaBuf(DeviceMemory memory) {
    try {
      return required("exportDmaBuf", access.exportDmaBuf(memory));
    } catch (Throwable failure) {
      throw refusal(failure);
    }
  }

  @Override
  public void flush(Device which) {
    try {
      access.flush(which);
    } catch (Throwable failure) {
      throw refusal(failure);
    }
  }

  BackendException refusal(Throwable failure) {
    return failure instanceof BackendException refused
        ? refused
        : new BackendException(
            0,
            "expected an answer or a refusal of device "
                + device
                + ", got from "
                + access.getClass().getName()
                + ": "
                + textOf(failure),
            failure);
  }

  /** What somebody else's exception says, whose methods may throw themselves. */
  static String textOf(Throwable failure) {
    try {
      return failure.toString();
    } catch (Throwable unsaid) {
      return "a " + failure.getClass().getName() + " whose toString() throws";
    }
  }
}
