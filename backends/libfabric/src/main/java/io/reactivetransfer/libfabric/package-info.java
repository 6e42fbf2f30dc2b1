/**
 * The backend over libfabric: EFA and other cards, and in software tcp and shm.
 *
 * <p>Start with {@link io.reactivetransfer.libfabric.LibfabricBackend}. {@code ProviderChoice} says
 * which provider is used and why others are not; {@code LibfabricDomain} is one opened NIC: it
 * writes by {@code Writes}, speaks with other NICs by {@code Letters}, and looks after its peers in
 * {@code Peers}. The native calls are in the package {@code ffi}.
 */
@NullMarked
package io.reactivetransfer.libfabric;

import org.jspecify.annotations.NullMarked;
