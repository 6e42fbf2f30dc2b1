package io.reactivetransfer.examples.howto;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.Imm;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.WriteImm;
import io.reactivetransfer.cuda.CudaException;
import io.reactivetransfer.cuda.CudaMemory;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import reactor.core.publisher.Mono;

/** Memory of a GPU as the target and as the source of writes. */
public final class UseDeviceMemory {

  private static final Device GPU = Device.of("cuda", 0);
  private static final long NUMBERS = 131_072;
  private static final long BYTES = NUMBERS * Long.BYTES;

  public static void main(String[] args) {
    try (CudaMemory left = CudaMemory.allocate(GPU, BYTES);
        CudaMemory right = CudaMemory.allocate(GPU, BYTES);
        Arena arena = Arena.ofShared()) {
      TransferEngine one = TransferEngineBuilder.create().backend("tcp").open().block();
      TransferEngine other = TransferEngineBuilder.create().backend("tcp").open().block();
      try {
        MemorySegment numbers = arena.allocate(ValueLayout.JAVA_LONG, NUMBERS);
        for (long i = 0; i < NUMBERS; i++) {
          numbers.setAtIndex(ValueLayout.JAVA_LONG, i, i);
        }
        MemorySegment received = arena.allocate(ValueLayout.JAVA_LONG, NUMBERS);
        MemoryRegion source = one.register(numbers).block();
        MemoryRegion onLeft = one.register(left.memory(), Access.REMOTE_WRITE).block();
        MemoryRegion onRight = other.register(right.memory(), Access.REMOTE_WRITE).block();
        MemoryRegion destination = other.register(received).block();

        write(one, source, other, onRight);
        // What came is in the GPU, for any kernel. What kernels compute is to be written when an
        // event behind them has passed: a NIC waits for no stream.
        write(other, onRight, one, onLeft);
        write(one, onLeft, other, destination);
        if (received.mismatch(numbers) != -1) {
          throw new IllegalStateException("expected the numbers that were written");
        }
        System.out.println(BYTES + " bytes went to a GPU, within it, and back to the host.");
      } finally { // closes the regions, too: before that, the GPU's memory must not be freed
        Mono.whenDelayError(one.close(), other.close()).block();
      }
    } catch (CudaException e) {
      if (e.code() != 0) { // there is a driver, and it has refused something
        throw e;
      }
      System.out.println(e.getMessage()); // what is missing, and what to do
      System.out.println("So this has shown nothing of a GPU.");
    }
  }

  private static void write(
      TransferEngine origin, MemoryRegion from, TransferEngine target, MemoryRegion to) {
    RemoteRegion remote = origin.remote(to.descriptor());
    origin.submit(WriteImm.of(from.whole(), remote.whole(), Imm.of(1))).block();
    target.counter(Imm.of(1)).next(1).block();
  }
}
