package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;

/**
 * What a device says of itself.
 *
 * @param firmware its version; empty for software
 * @param maxSends work requests that a send queue can have
 * @param maxReceives work requests that a shared receive queue can have
 * @param maxCompletions entries that a completion queue can have
 * @param ports how many it has, numbered from 1
 */
public record DeviceInfo(
    String firmware, int maxSends, int maxReceives, int maxCompletions, int ports) {

  /**
   * Asks an open device.
   *
   * @return what it says, or null if it fails
   */
  public static Result<DeviceInfo> of(Verbs verbs, long context) {
    try (Arena arena = Arena.ofConfined()) {
      long attr = arena.allocate(IbLayout.DEVICE_ATTR_BYTES, Long.BYTES).address();
      int result = verbs.ibv_query_device(context, attr);
      if (result < 0) {
        return Result.failed(result);
      }
      return Result.of(
          new DeviceInfo(
              Raw.getString(IbLayout.DEVICE_FW_VER.in(attr)),
              Raw.getInt(IbLayout.DEVICE_MAX_QP_WR.in(attr)),
              Raw.getInt(IbLayout.DEVICE_MAX_SRQ_WR.in(attr)),
              Raw.getInt(IbLayout.DEVICE_MAX_CQE.in(attr)),
              Raw.getUnsignedByte(IbLayout.DEVICE_PORTS.in(attr))));
    }
  }
}
