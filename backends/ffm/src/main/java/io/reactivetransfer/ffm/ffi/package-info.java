/** The native calls. */
@NullMarked
package io.reactivetransfer.ffm.ffi;

import org.jspecify.annotations.NullMarked;
