package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;

/**
 * What a port says of itself.
 *
 * @param state such as {@link Ib#IBV_PORT_ACTIVE}
 * @param linkLayer such as {@link Ib#IBV_LINK_LAYER_ETHERNET}
 * @param lid its address where a subnet manager gives addresses; 0 on Ethernet
 * @param mtu the active one, such as {@link Ib#IBV_MTU_4096}
 * @param gids entries of the table of its addresses
 * @param maxMessageBytes the longest write
 * @param bitsPerSecond the speed of the link, or 0 if it is not known
 */
public record PortInfo(
    int state,
    int linkLayer,
    int lid,
    int mtu,
    int gids,
    long maxMessageBytes,
    long bitsPerSecond) {

  /** Asks an open device. */
  public static Result<PortInfo> of(Verbs verbs, long context, int port) {
    try (Arena arena = Arena.ofConfined()) {
      // The library may fill in more than the header of an older version has.
      long attr = arena.allocate(2 * IbLayout.PORT_ATTR_BYTES, Long.BYTES).address();
      int result = verbs.ibv_query_port(context, port, attr);
      if (result < 0) {
        return Result.failed(result);
      }
      return Result.of(
          new PortInfo(
              Raw.getInt(IbLayout.PORT_STATE.in(attr)),
              Raw.getUnsignedByte(IbLayout.PORT_LINK_LAYER.in(attr)),
              Raw.getUnsignedShort(IbLayout.PORT_LID.in(attr)),
              Raw.getInt(IbLayout.PORT_ACTIVE_MTU.in(attr)),
              Raw.getInt(IbLayout.PORT_GIDS.in(attr)),
              Integer.toUnsignedLong(Raw.getInt(IbLayout.PORT_MAX_MSG.in(attr))),
              LinkSpeed.bitsPerSecond(
                  Raw.getUnsignedByte(IbLayout.PORT_WIDTH.in(attr)),
                  Raw.getUnsignedByte(IbLayout.PORT_SPEED.in(attr)))));
    }
  }
}
