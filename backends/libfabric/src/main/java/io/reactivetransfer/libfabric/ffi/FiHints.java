package io.reactivetransfer.libfabric.ffi;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.reactivetransfer.ffm.ffi.Raw;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * What a provider is asked for.
 *
 * @param provider its name
 * @param endpointType {@link Fi#FI_EP_RDM} or {@link Fi#FI_EP_MSG}
 * @param mrMode what this side can do about registration; what the provider does not need it clears
 * @param deliveryComplete whether completions shall mean delivery
 * @param devices whether memory of accelerators shall be read and written as the host's is
 */
public record FiHints(
    String provider, int endpointType, int mrMode, boolean deliveryComplete, boolean devices) {

  /**
   * Makes the {@code fi_info}; the caller frees it with {@link LibFabric#fi_freeinfo}.
   *
   * @return its address, or 0 if there was no memory
   */
  public long allocate(LibFabric lib) {
    long info = lib.fi_dupinfo(0);
    if (info == 0) {
      return 0;
    }
    long hmem = devices ? Fi.FI_HMEM : 0;
    Raw.putLong(
        FiLayout.INFO_CAPS.in(info), Fi.FI_RMA | hmem); // messages are the control channel's
    Raw.putLong(FiLayout.INFO_MODE.in(info), Fi.FI_CONTEXT | Fi.FI_CONTEXT2);
    long tx = Raw.getLong(FiLayout.INFO_TX_ATTR.in(info));
    Raw.putLong(FiLayout.TX_OP_FLAGS.in(tx), deliveryComplete ? Fi.FI_DELIVERY_COMPLETE : 0);
    long ep = Raw.getLong(FiLayout.INFO_EP_ATTR.in(info));
    Raw.putInt(FiLayout.EP_TYPE.in(ep), endpointType);
    long domain = Raw.getLong(FiLayout.INFO_DOMAIN_ATTR.in(info));
    Raw.putInt(FiLayout.DOMAIN_MR_MODE.in(domain), devices ? mrMode | Fi.FI_MR_HMEM : mrMode);
    Raw.putInt(FiLayout.DOMAIN_THREADING.in(domain), Fi.FI_THREAD_DOMAIN);
    // Automatic progress would be a thread of the provider's, which nothing here needs.
    Raw.putInt(FiLayout.DOMAIN_CONTROL_PROGRESS.in(domain), Fi.FI_PROGRESS_MANUAL);
    Raw.putInt(FiLayout.DOMAIN_DATA_PROGRESS.in(domain), Fi.FI_PROGRESS_MANUAL);
    Raw.putInt(FiLayout.DOMAIN_RESOURCE_MGMT.in(domain), Fi.FI_RM_ENABLED);
    long fabric = Raw.getLong(FiLayout.INFO_FABRIC_ATTR.in(info));
    Raw.putLong(FiLayout.FABRIC_PROV_NAME.in(fabric), strdup(provider));
    return info;
  }

  /** A copy of malloc's, because fi_freeinfo gives the string to free. */
  private static long strdup(String text) {
    try (Arena arena = Arena.ofConfined()) {
      return (long) Strdup.HANDLE.invokeExact(arena.allocateFrom(text).address());
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException(e);
    }
  }

  /** Linked when it is needed first. */
  private static final class Strdup {
    static final MethodHandle HANDLE = link();

    @SuppressWarnings("restricted") // ffi
    private static MethodHandle link() {
      MemorySegment strdup = Linker.nativeLinker().defaultLookup().findOrThrow("strdup");
      return Linker.nativeLinker()
          .downcallHandle(strdup, FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    }
  }
}
