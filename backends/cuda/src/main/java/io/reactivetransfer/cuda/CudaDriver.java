package io.reactivetransfer.cuda;

import io.reactivetransfer.Device;
import io.reactivetransfer.cuda.ffi.Libcuda;
import io.reactivetransfer.spi.Availability;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The driver, and the GPUs that this process sees; looked for once in a process. */
final class CudaDriver {

  /** The kind of all its devices. */
  static final String KIND = "cuda";

  static final String LIBRARY = "libcuda.so.1";

  private static final class Found {
    private static final CudaDriver HERE = new CudaDriver(DriverProbe.of(LIBRARY));
  }

  private final @Nullable Libcuda calls;
  private final int version;
  private final Availability availability;
  private final List<Gpu> gpus;

  private CudaDriver(DriverProbe probe) {
    this.calls = probe.calls();
    this.version = probe.version();
    Libcuda found = probe.calls();
    if (found == null) {
      this.availability = probe.availability();
      this.gpus = List.of();
      return;
    }
    this.availability = JCudaNatives.load();
    this.gpus =
        availability instanceof Availability.Available
            ? IntStream.range(0, probe.count()).mapToObj(i -> new Gpu(found, i)).toList()
            : List.of();
  }

  /** Looks for it, unless that was done. */
  static CudaDriver here() {
    return Found.HERE;
  }

  Availability availability() {
    return availability;
  }

  List<Gpu> gpus() {
    return gpus;
  }

  /** As in "12.6". */
  String version() {
    return DriverProbe.text(version);
  }

  /**
   * Its calls.
   *
   * @throws CudaException if there is no driver, or no GPU
   */
  Libcuda calls() {
    if (availability instanceof Availability.Unavailable(String reason, String remedy)) {
      throw new CudaException(0, "expected a GPU, got none: " + reason + "; " + remedy);
    }
    return Objects.requireNonNull(calls);
  }

  /**
   * One of them.
   *
   * @throws CudaException if it is not there
   */
  Gpu gpu(Device device) {
    calls();
    if (!device.kind().equals(KIND) || device.ordinal() >= gpus.size()) {
      throw new CudaException(
          0, "expected one of " + gpus + ", got device " + device + "; see CUDA_VISIBLE_DEVICES");
    }
    return gpus.get(device.ordinal());
  }

  /** The name of a result; looks for the driver if need be. */
  static String name(int result) {
    Libcuda calls = here().calls;
    return calls == null ? "result " + result : DriverProbe.name(calls, result);
  }
}
