package io.reactivetransfer.cuda;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HexFormat;

/** A process that allocates memory, exports it, and says what has come there. */
final class IpcProgram {

  private IpcProgram() {}

  public static void main(String[] arguments) throws IOException {
    int length = Integer.parseInt(arguments[0]);
    CudaAccess access = new CudaAccess();
    try (Arena arena = Arena.ofConfined();
        CudaMemory memory = CudaMemory.allocate(Gpus.FIRST, length + 100)) {
      MemorySegment bytes = arena.allocateFrom(ValueLayout.JAVA_BYTE, Gpus.noise(length));
      access.copyFromHost(bytes, 0, memory.memory(), 100, length);
      byte[] exported = CudaIpc.export(memory.memory().slice(100, length));
      System.out.println("exported " + HexFormat.of().formatHex(exported));
      byte first = bytes.get(ValueLayout.JAVA_BYTE, 0);
      while (bytes.get(ValueLayout.JAVA_BYTE, 0) == first) {
        access.copyToHost(memory.memory(), 100, bytes, 0, 1);
      }
      System.out.println("first byte " + bytes.get(ValueLayout.JAVA_BYTE, 0));
      System.in.read(); // the memory has to stay until the other process has closed it
    }
  }
}
