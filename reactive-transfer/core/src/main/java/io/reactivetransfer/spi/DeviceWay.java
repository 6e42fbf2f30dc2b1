package io.reactivetransfer.spi;

/** How bytes get from memory of an accelerator to a NIC, and back. */
public enum DeviceWay {
  /** The NIC reads and writes the memory by itself, which the system hands to it as a dma-buf. */
  DMA_BUF("dma-buf"),
  /**
   * The NIC reads and writes the memory by itself, which it is given by its address: a module of
   * the kernel knows what lies there, such as nvidia-peermem.
   */
  PEER_MEMORY("by its address (nvidia-peermem)"),
  /** A driver copies the bytes through memory of the host. */
  STAGED("staged through the host"),
  /** There is none: to register such memory is refused. */
  NONE("none"),
  /** The backend does not say. */
  UNKNOWN("way unknown");

  private final String text;

  DeviceWay(String text) {
    this.text = text;
  }

  /** For people. */
  @Override
  public String toString() {
    return text;
  }
}
