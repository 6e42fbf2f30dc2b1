package io.reactivetransfer.spi;

import io.reactivetransfer.Device;
import io.reactivetransfer.DeviceMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reaches the memory of accelerators of one kind; found through {@link java.util.ServiceLoader},
 * and given to drivers by {@link OpenContext#devices()}. So a NIC that is software serves device
 * memory by copying through the host, one that is hardware by a dma-buf, and none of them knows the
 * accelerator.
 *
 * <p>Its class loads and answers on any machine. Safe from any thread. What touches bytes is called
 * on threads of NICs: it may take as long as the copy takes, and must not wait for what was given
 * to the device before, such as kernels that run there. In terms of CUDA: a stream of its own.
 * Meanwhile the engine does nothing else, and gives no signs of life. What it throws, whatever that
 * is, is taken for a refusal by the device.
 *
 * <p>Engines find one each. Two that reach the same devices should be equal, so that memory which
 * each of two engines has registered is copied by one {@link #copy}, without the host. To one that
 * reaches others none is equal.
 *
 * <p>What an engine expects of it is chapter 28 of the specification, and {@code DeviceConformance}
 * of {@code reactive-transfer-tck} checks that.
 */
public interface DeviceAccess {

  /** Whether it works here; if not, why not and how to mend it. Never throws. */
  Availability availability();

  /**
   * The accelerators that there are here, each with a name of its own; none where not available.
   */
  List<Device> devices();

  /**
   * The kind of its devices, also where none is available: for people, one line of up to 300
   * letters. Never throws.
   */
  default String kind() {
    return getClass().getSimpleName();
  }

  /**
   * What is known of an accelerator, for people, in one line of up to 300 letters: such as its
   * product's name and where it is. Never throws.
   *
   * @param device one of {@link #devices()}
   */
  default String describe(Device device) {
    return device.toString();
  }

  /**
   * Where an accelerator is, so that NICs near to it can be told from others. Never throws.
   *
   * @param device one of {@link #devices()}
   * @return its PCI address as Linux has it, in small letters, such as {@code 0000:3b:00.0}; null,
   *     as by default, for one of which that is not known
   */
  default @Nullable String pciAddress(Device device) {
    return null;
  }

  /**
   * Copies to the host. When it returns the bytes are there. Memory of a device that is not one of
   * {@link #devices()} is refused, here and by the other copies and {@link #peek}. When it fails,
   * nothing of it goes on, here and in other copies, unless {@link BackendException#isOver()} of
   * what is thrown says that the device does not tell; the host's memory is left alone in any case.
   *
   * @param source memory of one of {@link #devices()}
   * @param sourceOffset first byte within the source
   * @param target native host memory
   * @param targetOffset first byte within the target
   * @param length bytes, 0 or more; both ranges were checked
   * @throws BackendException if the device refuses, such as for memory that was freed
   */
  void copyToHost(
      DeviceMemory source, long sourceOffset, MemorySegment target, long targetOffset, long length);

  /**
   * Copies from the host. When it returns, the source may be reused, and what the device does later
   * sees the bytes.
   *
   * @param source native host memory
   * @param sourceOffset first byte within the source
   * @param target memory of one of {@link #devices()}
   * @param targetOffset first byte within the target
   * @param length bytes, 0 or more; both ranges were checked
   * @throws BackendException if the device refuses, such as for memory that was freed
   */
  void copyFromHost(
      MemorySegment source, long sourceOffset, DeviceMemory target, long targetOffset, long length);

  /**
   * Copies between memory of two of its devices, or within one. When it returns the bytes are
   * there: the source may be reused, and what the target's device does later sees them. By default
   * it goes through the host, in parts.
   *
   * <p>Two ranges that overlap are no mistake that ends anything, but the bytes of the target are
   * whatever comes of it, and so may be those of the source where it is the target: a write is
   * copied part by part, in an order that nobody promises.
   *
   * @param source memory of one of {@link #devices()}, or of an access that is equal to this one
   * @param sourceOffset first byte within the source
   * @param target memory of one of these devices, too
   * @param targetOffset first byte within the target
   * @param length bytes, 0 or more; both ranges were checked
   * @throws BackendException if a device refuses, such as for memory that was freed; parts of the
   *     target may have changed by then
   */
  default void copy(
      DeviceMemory source, long sourceOffset, DeviceMemory target, long targetOffset, long length) {
    ThroughHost.copy(this, source, sourceOffset, this, target, targetOffset, length);
  }

  /**
   * Memory of the host through which a NIC's thread has bytes of a device come and go while it does
   * something else. The default one copies while its caller waits.
   *
   * @param device one of {@link #devices()}
   * @param bytes of the buffer, 1 or more
   * @return to be closed by the caller, who keeps it as long as there is use for it: to make one
   *     may be expensive
   * @throws BackendException if the device refuses
   */
  default StagingBuffer stagingBuffer(Device device, long bytes) {
    return new WaitingBuffer(this, bytes);
  }

  /**
   * Reads a word of 64 bits, in the host's byte order, as it is now; what the device wrote before
   * it wrote that word is seen by whoever copies afterwards. Called in each turn of an engine while
   * the word is watched, so it should be a read of mapped memory, and allocate nothing.
   *
   * @param memory holds the word, at an address that is a multiple of 8
   * @param offset first byte of the word
   * @throws BackendException if the device refuses
   */
  long peek(DeviceMemory memory, long offset);

  /**
   * Whether NICs may be given memory of the device, to read and write it by themselves: as a
   * dma-buf, or by its address, where a module of the kernel knows what lies there, as
   * nvidia-peermem does. A single NIC may refuse it all the same. Never throws.
   *
   * @param device one of {@link #devices()}
   */
  default boolean isOpenToNics(Device device) {
    return false;
  }

  /**
   * In which ways NICs may be given memory of the device, where it {@linkplain #isOpenToNics is
   * open to them}: by default, as a dma-buf. Never throws.
   *
   * @param device one of {@link #devices()}
   * @return of {@link DeviceWay#DMA_BUF} and {@link DeviceWay#PEER_MEMORY}, those that there are
   */
  default Set<DeviceWay> waysForNics(Device device) {
    return isOpenToNics(device) ? Set.of(DeviceWay.DMA_BUF) : Set.of();
  }

  /**
   * Exports memory, so that a NIC can be given it to read and write by itself.
   *
   * @return open until whoever asked for it closes it; the NIC may use the memory for longer
   * @throws BackendException if that cannot be done for this memory, or at all; the text names the
   *     device, and says what to do
   */
  default DmaBuf exportDmaBuf(DeviceMemory memory) {
    throw new BackendException(
        0,
        "expected memory that can be exported as a dma-buf, got some of "
            + memory.device()
            + ", of which "
            + getClass().getName()
            + " exports none; use a backend that copies through the host, such as tcp");
  }

  /**
   * Has what a NIC has written into the memory of a device by itself seen there, and by {@link
   * #peek}. A driver whose NIC writes to devices calls it before it reports an immediate, if the
   * NIC does not see to it.
   *
   * @throws BackendException if the device refuses
   */
  default void flush(Device device) {}

  /** Device memory as the operating system hands it from one driver to another. */
  interface DmaBuf extends AutoCloseable {

    /** The file descriptor. */
    int descriptor();

    /** Where the memory begins within what was exported, which may be more. */
    long offset();

    /** Closes the file descriptor. */
    @Override
    void close();
  }
}
