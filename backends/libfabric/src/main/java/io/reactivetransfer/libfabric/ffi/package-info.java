/**
 * The native calls of libfabric. {@link io.reactivetransfer.libfabric.ffi.LibFabric} has the names
 * of C, {@link io.reactivetransfer.libfabric.ffi.LibFabricByLinker} the handles, {@link
 * io.reactivetransfer.libfabric.ffi.FiLayout} the places of fields and {@link
 * io.reactivetransfer.libfabric.ffi.Fi} the constants. Nothing outside this package links, or knows
 * a layout.
 */
@NullMarked
package io.reactivetransfer.libfabric.ffi;

import org.jspecify.annotations.NullMarked;
