/**
 * The calls of the driver that JCuda does not bind, or that are made for each copy. {@link
 * io.reactivetransfer.cuda.ffi.Libcuda} has the names of C, {@link
 * io.reactivetransfer.cuda.ffi.LibcudaByLinker} the handles. Nothing outside this package links.
 */
@NullMarked
package io.reactivetransfer.cuda.ffi;

import org.jspecify.annotations.NullMarked;
