package io.reactivetransfer.cuda;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.reactivetransfer.DeviceMemory;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.Objects;
import jcuda.NativePointerObject;
import jcuda.Pointer;
import jcuda.driver.CUdeviceptr;
import jcuda.driver.CUfunction;
import jcuda.driver.CUmodule;
import jcuda.driver.CUstream;
import jcuda.driver.JCudaDriver;

/**
 * The kernels of {@code kernels.ptx} on one GPU; they stay loaded. The fake of the driver runs
 * none.
 */
final class Kernels {

  private static final int BLOCKS = 32;
  private static final int THREADS = 256;

  /** More than any GPU runs at once: eight for each of its multiprocessors. */
  private static final int ALL_BLOCKS = 8_192;

  private final Gpu gpu;
  private final CUmodule module = new CUmodule();
  private final CUfunction fill;
  private final CUfunction check;
  private final CUfunction fillAndTell;
  private final CUfunction leaveMemory;

  Kernels(Gpu gpu) {
    this.gpu = gpu;
    gpu.within(() -> {
      Results.require("cuModuleLoadData", () -> JCudaDriver.cuModuleLoadData(module, text()));
      return true;
    });
    fill = function("fill");
    check = function("check");
    fillAndTell = function("fill_and_tell");
    leaveMemory = function("leave_memory");
    launchOnce();
  }

  /**
   * The driver loads a kernel when it is launched for the first time, and waits for all streams of
   * the GPU for that: where one waits for what this launch is to bring about, for ever.
   */
  private void launchOnce() {
    OwnStream stream = gpu.within(OwnStream::create);
    try (CudaWord word = CudaWord.open(gpu.device())) {
      launch(fill, 1, stream, of(0L), of(0L), of(0));
      launch(check, 1, stream, of(0L), of(0L), of(0L), of(0L), of(0), of(0L));
      launch(fillAndTell, 1, stream, of(0L), of(0L), of(0), Pointer.to(word.pointer()), of(1L));
      gpu.within(() -> {
        Results.require("cuStreamSynchronize", () -> JCudaDriver.cuStreamSynchronize(stream));
        return JCudaDriver.cuStreamDestroy(stream);
      });
    }
  }

  /** With a 0 behind it, as C has it. */
  private static byte[] text() {
    try (InputStream in =
        Objects.requireNonNull(Kernels.class.getResourceAsStream("kernels.ptx"))) {
      byte[] text = new String(in.readAllBytes(), US_ASCII).getBytes(US_ASCII);
      return Arrays.copyOf(text, text.length + 1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private CUfunction function(String name) {
    CUfunction function = new CUfunction();
    return gpu.within(() -> {
      Results.require(
          "cuModuleGetFunction", () -> JCudaDriver.cuModuleGetFunction(function, module, name));
      return function;
    });
  }

  /** Sets all words of 32 bits. */
  void fill(CUstream stream, DeviceMemory memory, int value) {
    launch(fill, BLOCKS, stream, address(memory), words(memory), of(value));
  }

  /** Adds to a word of 64 bits how many words of 32 bits are not this value. */
  void check(CUstream stream, DeviceMemory memory, int value, DeviceMemory wrong) {
    launch(
        check,
        BLOCKS,
        stream,
        of(0L),
        of(0L),
        address(memory),
        words(memory),
        of(value),
        address(wrong));
  }

  /** The same by a kernel that runs already, when the word has become so much. */
  void checkWhen(
      CUstream stream,
      CudaWord word,
      long least,
      DeviceMemory memory,
      int value,
      DeviceMemory wrong) {
    launch(
        check,
        BLOCKS,
        stream,
        Pointer.to(word.pointer()),
        of(least),
        address(memory),
        words(memory),
        of(value),
        address(wrong));
  }

  /** Takes the whole GPU, and leaves no room for another kernel, until the word is that much. */
  void fillGpuUntil(CudaWord word, long least, CUstream stream, DeviceMemory wrong) {
    launch(
        check,
        ALL_BLOCKS,
        stream,
        Pointer.to(word.pointer()),
        of(least),
        of(0L),
        of(0L),
        of(0),
        address(wrong));
  }

  /** Sets all words, and then one of the host's, without ending. */
  void fillAndTell(CUstream stream, DeviceMemory memory, int value, CudaWord word, long told) {
    launch(
        fillAndTell,
        1,
        stream,
        address(memory),
        words(memory),
        of(value),
        Pointer.to(word.pointer()),
        of(told));
  }

  /** Breaks the context. */
  void leaveMemory(CUstream stream) {
    launch(leaveMemory, 1, stream);
  }

  private void launch(CUfunction kernel, int blocks, CUstream stream, NativePointerObject... all) {
    gpu.within(() -> {
      Results.require(
          "cuLaunchKernel",
          () ->
              JCudaDriver.cuLaunchKernel(
                  kernel, blocks, 1, 1, THREADS, 1, 1, 0, stream, Pointer.to(all), null));
      return true;
    });
  }

  private static Pointer of(long value) {
    return Pointer.to(new long[] {value});
  }

  private static Pointer of(int value) {
    return Pointer.to(new int[] {value});
  }

  private static Pointer words(DeviceMemory memory) {
    return of(memory.length() / Integer.BYTES);
  }

  private static Pointer address(DeviceMemory memory) {
    return Pointer.to(new CUdeviceptr().withByteOffset(memory.address()));
  }
}
