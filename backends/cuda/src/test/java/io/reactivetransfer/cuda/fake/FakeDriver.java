package io.reactivetransfer.cuda.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;

/**
 * A driver without a GPU, for the JCuda that is there: {@code src/test/native/fakecuda.h} says what
 * it does. There is one in a JVM. A test gets it before JCuda is used for the first time in this
 * JVM, and has it {@link #reset} between tests. Results are numbers of {@code CUresult}.
 */
public final class FakeDriver {

  /** Set where the tests are to run on the GPUs of this machine instead. */
  private static final String REAL = "reactivetransfer.gpu";

  private static FakeDriver loaded;

  private final Path path;
  private final Controls controls;

  private FakeDriver(Path path) {
    this.path = path;
    controls = new Controls(path);
  }

  /**
   * Compiles and loads it, the first time; skips the test where there is no gcc. The library that
   * JCuda is linked with is the one of its name that is loaded already, which is this.
   */
  @SuppressWarnings("restricted")
  public static synchronized FakeDriver load() {
    Assumptions.assumeFalse(isForbidden(), "runs on the fake of the driver only, not on a GPU");
    if (loaded == null) {
      Path library = FakeLibrary.build();
      System.load(library.toString());
      loadJCuda(library.getParent());
      loaded = new FakeDriver(library);
    }
    return loaded;
  }

  /** Whether the tests are to run on a GPU, so that there must be no fake in this process. */
  public static boolean isForbidden() {
    return Boolean.getBoolean(REAL);
  }

  /**
   * Where JVMs share the folder for temporary files, one might load what another one has half
   * written: so each has JCuda's native part in a folder of its own.
   */
  private static void loadJCuda(Path folder) {
    String before = System.setProperty("java.io.tmpdir", folder.toString());
    try {
      Class.forName("jcuda.driver.JCudaDriver");
      try (DirectoryStream<Path> unpacked = Files.newDirectoryStream(folder, "libJCuda*")) {
        for (Path file : unpacked) {
          Files.delete(file); // it stays mapped
        }
      }
    } catch (ClassNotFoundException e) {
      throw new IllegalStateException(e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      System.setProperty("java.io.tmpdir", before);
    }
  }

  /** The library. */
  public Path path() {
    return path;
  }

  /**
   * Makes it the driver of another process, which has {@link Knob#variable} in its environment, and
   * faults as {@code FAKECUDA_FAULTS}.
   */
  public void useIn(ProcessBuilder process) {
    process.environment().put("LD_LIBRARY_PATH", path.getParent().toString());
  }

  public void set(Knob knob, long value) {
    if (controls.set(knob.name(), value) != 0) {
      throw new IllegalArgumentException(knob + " is not in knobs.def");
    }
  }

  /** Sets what {@code cuDeviceGetAttribute} says, for all devices. */
  public void attribute(int attribute, int value) {
    if (controls.attribute(attribute, value) != 0) {
      throw new IllegalArgumentException(attribute + " = " + value);
    }
  }

  /**
   * Makes a call fail, or an operation in a stream, which breaks the context of its device.
   *
   * @param name of a function, with or without its version; or op.copy, op.set, op.write, op.wait,
   *     op.host, op.event
   * @param n 1 for the next, or 0 for all
   */
  public void fault(String name, long n, int result) {
    controls.fault(name, n, result);
  }

  /** Makes the n-th call from now fail, whatever function it is of. */
  public void failCall(long n, int result) {
    controls.failCall(n, result);
  }

  /** How often it was called, or run, since the reset, by a name as for {@link #fault}. */
  public long calls(String name) {
    return controls.calls(name);
  }

  /** The functions that were called since the reset, in this order. */
  public List<String> calls() {
    return LongStream.range(0, controls.callCount()).mapToObj(controls::callName).toList();
  }

  /** How many were made since the reset and are still there. */
  public long live(Live kind) {
    return controls.live(kind.ordinal());
  }

  /** Of which kinds there are any; nothing where nothing leaks. */
  public Map<Live, Long> live() {
    Map<Live, Long> found = new EnumMap<>(Live.class);
    for (Live kind : Live.values()) {
      if (live(kind) != 0) {
        found.put(kind, live(kind));
      }
    }
    return found;
  }

  /** What a NIC does that has received this for an address of a device, past all streams. */
  public void dmaWrite(long device, MemorySegment bytes) {
    dma(device, bytes, true);
  }

  /** What a NIC does that sends what is at an address of a device, past all streams. */
  public void dmaRead(long device, MemorySegment into) {
    dma(device, into, false);
  }

  /**
   * Where the bytes behind an address of a device are, for a test to look at as only the device
   * could; until the memory is freed.
   */
  public long bytes(long device) {
    long found = controls.bytes(device);
    if (found == 0) {
      throw new IllegalArgumentException("no memory of a device at 0x%x".formatted(device));
    }
    return found;
  }

  private void dma(long device, MemorySegment host, boolean isWrite) {
    if (controls.dma(device, host, isWrite) != 0) {
      throw new IllegalArgumentException(
          "no memory of %d bytes at 0x%x".formatted(host.byteSize(), device));
    }
  }

  /**
   * Ends what streams do, all faults and the errors of contexts; sets knobs and attributes to what
   * they were at first, and counts from zero.
   */
  public void reset() {
    controls.reset();
  }
}
