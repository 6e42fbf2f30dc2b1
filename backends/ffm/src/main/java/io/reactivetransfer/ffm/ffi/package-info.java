/**
 * The native calls. An interface for each header has the names of C, such as {@link
 * io.reactivetransfer.ffm.ffi.LinuxLibc}; one implementation beside it has the handles and layouts,
 * such as {@link io.reactivetransfer.ffm.ffi.LinuxLibcByLinker}. Everything above tests against the
 * interface, and nothing outside this package links.
 */
@NullMarked
package io.reactivetransfer.ffm.ffi;

import org.jspecify.annotations.NullMarked;
