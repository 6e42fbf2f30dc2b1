/**
 * The native calls of libibverbs. {@link io.reactivetransfer.ibverbs.ffi.Verbs} has the names of C,
 * {@link io.reactivetransfer.ibverbs.ffi.VerbsByLinker} the handles; where fields lie is said by
 * {@link io.reactivetransfer.ibverbs.ffi.IbLayout}. Nothing outside this package links.
 */
@NullMarked
package io.reactivetransfer.ibverbs.ffi;

import org.jspecify.annotations.NullMarked;
