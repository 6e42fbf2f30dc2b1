package io.reactivetransfer;

/**
 * Says where bytes are; owns nothing. Whoever allocated the memory keeps it alive until every
 * {@link MemoryRegion} made from it is closed.
 */
public sealed interface Memory permits HostMemory, DeviceMemory {

  /** Length in bytes. */
  long length();

  /** Where it is. */
  Device device();
}
