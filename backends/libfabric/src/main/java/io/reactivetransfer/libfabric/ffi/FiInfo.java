package io.reactivetransfer.libfabric.ffi;

import io.reactivetransfer.ffm.ffi.Raw;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an info says of a provider and a NIC, read once.
 *
 * @param address of the {@code fi_info}; valid until its list is freed
 * @param provider such as {@code tcp;ofi_rxm}
 * @param domain the NIC's name for libfabric
 * @param mrMode how memory must be registered
 * @param keyBytes bytes of a key
 * @param immBytes bytes of an immediate
 * @param completion the flags that each operation has
 * @param injectBytes the longest injected write
 * @param txSize operations that may be out at one endpoint
 * @param iovLimit parts of memory of one operation, local
 * @param rmaIovLimit the same, at the target
 * @param maxMessageBytes the longest operation
 * @param avType type of address vectors
 * @param bitsPerSecond of the link, or 0 if unknown
 * @param pciPath of the card, or null
 */
public record FiInfo(
    long address,
    String provider,
    String domain,
    int mrMode,
    long keyBytes,
    long immBytes,
    long completion,
    long injectBytes,
    long txSize,
    long iovLimit,
    long rmaIovLimit,
    long maxMessageBytes,
    int avType,
    long bitsPerSecond,
    @Nullable String pciPath) {

  /** Reads a list of infos. */
  public static List<FiInfo> list(long first) {
    List<FiInfo> all = new ArrayList<>();
    for (long at = first; at != 0; at = Raw.getLong(FiLayout.INFO_NEXT.in(at))) {
      all.add(read(at));
    }
    return all;
  }

  private static FiInfo read(long at) {
    long tx = Raw.getLong(FiLayout.INFO_TX_ATTR.in(at));
    long ep = Raw.getLong(FiLayout.INFO_EP_ATTR.in(at));
    long domain = Raw.getLong(FiLayout.INFO_DOMAIN_ATTR.in(at));
    long fabric = Raw.getLong(FiLayout.INFO_FABRIC_ATTR.in(at));
    long nic = Raw.getLong(FiLayout.INFO_NIC.in(at));
    return new FiInfo(
        at,
        Raw.getString(Raw.getLong(FiLayout.FABRIC_PROV_NAME.in(fabric))),
        Raw.getString(Raw.getLong(FiLayout.DOMAIN_NAME.in(domain))),
        Raw.getInt(FiLayout.DOMAIN_MR_MODE.in(domain)),
        Raw.getLong(FiLayout.DOMAIN_MR_KEY_SIZE.in(domain)),
        Raw.getLong(FiLayout.DOMAIN_CQ_DATA_SIZE.in(domain)),
        Raw.getLong(FiLayout.TX_OP_FLAGS.in(tx)),
        Raw.getLong(FiLayout.TX_INJECT_SIZE.in(tx)),
        Raw.getLong(FiLayout.TX_SIZE.in(tx)),
        Raw.getLong(FiLayout.TX_IOV_LIMIT.in(tx)),
        Raw.getLong(FiLayout.TX_RMA_IOV_LIMIT.in(tx)),
        atMostLongMax(Raw.getLong(FiLayout.EP_MAX_MSG_SIZE.in(ep))),
        Raw.getInt(FiLayout.DOMAIN_AV_TYPE.in(domain)),
        speed(nic),
        pciPath(nic));
  }

  /** Of an unsigned value, which some providers have as large as it can be. */
  private static long atMostLongMax(long unsigned) {
    return unsigned < 0 ? Long.MAX_VALUE : unsigned;
  }

  private static long speed(long nic) {
    long link = nic == 0 ? 0 : Raw.getLong(FiLayout.NIC_LINK_ATTR.in(nic));
    return link == 0 ? 0 : Math.max(0, Raw.getLong(FiLayout.LINK_SPEED.in(link)));
  }

  private static @Nullable String pciPath(long nic) {
    long bus = nic == 0 ? 0 : Raw.getLong(FiLayout.NIC_BUS_ATTR.in(nic));
    if (bus == 0 || Raw.getInt(FiLayout.BUS_TYPE.in(bus)) != Fi.FI_BUS_PCI) {
      return null;
    }
    return String.format(
        "%04x:%02x:%02x.%x",
        Raw.getUnsignedShort(FiLayout.BUS_PCI_DOMAIN.in(bus)),
        Raw.getUnsignedByte(FiLayout.BUS_PCI_BUS.in(bus)),
        Raw.getUnsignedByte(FiLayout.BUS_PCI_DEVICE.in(bus)),
        Raw.getUnsignedByte(FiLayout.BUS_PCI_FUNCTION.in(bus)));
  }

  /** Whether each endpoint has one connection, which this side makes. */
  public boolean isConnected() {
    return Raw.getInt(FiLayout.EP_TYPE.in(Raw.getLong(FiLayout.INFO_EP_ATTR.in(address))))
        == Fi.FI_EP_MSG;
  }

  /** What a fabric is opened with. */
  public long fabricAttr() {
    return Raw.getLong(FiLayout.INFO_FABRIC_ATTR.in(address));
  }

  /** Whether memory must, or must be, as this flag says. */
  public boolean needs(int mrModeFlag) {
    return (mrMode & mrModeFlag) != 0;
  }

  /** Whether memory of accelerators can be registered, and is read and written without the host. */
  public boolean reachesDevices() {
    return (Raw.getLong(FiLayout.INFO_CAPS.in(address)) & Fi.FI_HMEM) != 0;
  }

  /** Whether a write is complete only when its bytes are in the target's memory. */
  public boolean completesOnDelivery() {
    return (completion & Fi.FI_DELIVERY_COMPLETE) != 0;
  }
}
