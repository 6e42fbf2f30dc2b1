package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;

/**
 * An entry of the table of a port's addresses.
 *
 * @param gid the address
 * @param type such as {@link Ib#IBV_GID_TYPE_ROCE_V2}
 */
public record GidInfo(Gid gid, int type) {

  /** Asks an open device; fails where there is no entry, too. */
  public static Result<GidInfo> of(Verbs verbs, long context, int port, int index) {
    try (Arena arena = Arena.ofConfined()) {
      long entry = arena.allocate(IbLayout.GID_ENTRY_BYTES, Long.BYTES).address();
      int result = verbs.ibv_query_gid_ex(context, port, index, entry);
      if (result < 0) {
        return Result.failed(result);
      }
      Gid gid = Gid.at(IbLayout.GID.in(entry));
      return Result.of(new GidInfo(gid, Raw.getInt(IbLayout.GID_TYPE.in(entry))));
    }
  }
}
