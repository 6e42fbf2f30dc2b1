package io.reactivetransfer.examples.snippets;

import io.reactivetransfer.Access;
import io.reactivetransfer.Device;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.cuda.CudaMemory;

/** The lines of docs/backends/cuda.md, so that they are compiled. */
abstract class CudaSnippets {

  void pages(TransferEngine engine) {
    CudaMemory pages = CudaMemory.allocate(Device.of("cuda", 0), 1L << 30);
    MemoryRegion region = engine.register(pages.memory(), Access.REMOTE_WRITE).block();
    region.close().block();
    pages.close();
  }
}
