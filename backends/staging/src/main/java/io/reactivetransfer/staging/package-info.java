/**
 * Memory of accelerators over NICs that reach the host's memory only: {@link
 * io.reactivetransfer.staging.StagingDomain} stands before such a NIC, and moves the bytes through
 * buffers of the host.
 */
@NullMarked
package io.reactivetransfer.staging;

import org.jspecify.annotations.NullMarked;
