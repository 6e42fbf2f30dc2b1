package io.reactivetransfer.ibverbs.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.List;

/** A card with one port, and addresses of RoCE. */
final class FakeDevice {

  private static final int ENODATA = 61;
  private static final int PORT_DOWN = 1;
  private static final int GIDS = 8;
  private static final int MOST_BYTES = 1 << 30;

  final long address;
  final String name;
  final int index;
  final FakeLimits limits;
  final List<FakeContext> contexts = new ArrayList<>();
  private final List<GidInfo> gids = new ArrayList<>();
  boolean isUp = true;

  /** The largest packets that its port sends and takes in. */
  int mtu = Ib.IBV_MTU_4096;

  /** Whether it has the IPv4 address that it had in the beginning. */
  boolean hasItsAddress = true;

  /** What a subnet manager would have given it. */
  short lid;

  FakeDevice(Arena arena, int index, FakeLimits limits) {
    this.index = index;
    this.limits = limits;
    address = arena.allocate(Long.BYTES, Long.BYTES).address();
    name = "fake" + index;
    Gid link = new Gid(0xfe80L << 48, 0x0200_00ff_fe00_0001L + index);
    Gid ipv4 = new Gid(0, 0xffff_0a00_0001L + index);
    add(link);
    add(ipv4);
  }

  void add(Gid gid) {
    gids.add(new GidInfo(gid, Ib.IBV_GID_TYPE_ROCE_V1));
    gids.add(new GidInfo(gid, Ib.IBV_GID_TYPE_ROCE_V2));
  }

  boolean has(Gid gid) {
    return (hasItsAddress || !gid.isIpv4())
        && gids.stream().anyMatch(each -> each.gid().equals(gid));
  }

  boolean hasGid(int index) {
    return index >= 0 && index < gids.size() && has(gids.get(index).gid());
  }

  void describe(long attr) {
    Raw.clear(attr, IbLayout.DEVICE_ATTR_BYTES);
    Raw.putInt(IbLayout.DEVICE_MAX_QP_WR.in(attr), limits.sends());
    Raw.putInt(IbLayout.DEVICE_MAX_SRQ_WR.in(attr), limits.receives());
    Raw.putInt(IbLayout.DEVICE_MAX_CQE.in(attr), limits.completions());
    Raw.putByte(IbLayout.DEVICE_PORTS.in(attr), (byte) 1);
  }

  void describePort(long attr) {
    Raw.clear(attr, IbLayout.PORT_ATTR_BYTES);
    Raw.putInt(IbLayout.PORT_STATE.in(attr), isUp ? Ib.IBV_PORT_ACTIVE : PORT_DOWN);
    Raw.putInt(IbLayout.PORT_ACTIVE_MTU.in(attr), mtu);
    Raw.putInt(IbLayout.PORT_GIDS.in(attr), GIDS);
    Raw.putInt(IbLayout.PORT_MAX_MSG.in(attr), MOST_BYTES);
    Raw.putShort(IbLayout.PORT_LID.in(attr), lid);
    Raw.putByte(IbLayout.PORT_WIDTH.in(attr), (byte) 2);
    Raw.putByte(IbLayout.PORT_SPEED.in(attr), (byte) 32);
    Raw.putByte(IbLayout.PORT_LINK_LAYER.in(attr), (byte) Ib.IBV_LINK_LAYER_ETHERNET);
  }

  int describeGid(int index, long entry) {
    if (!hasGid(index)) {
      return -ENODATA;
    }
    GidInfo info = gids.get(index);
    Raw.clear(entry, IbLayout.GID_ENTRY_BYTES);
    Raw.put(IbLayout.GID.in(entry), info.gid().bytes());
    Raw.putInt(IbLayout.GID_TYPE.in(entry), info.type());
    return 0;
  }

  void happens(int type, long element) {
    contexts.forEach(each -> each.events.add(type, element));
  }
}
