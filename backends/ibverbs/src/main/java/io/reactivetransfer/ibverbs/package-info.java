/** One-sided writes through libibverbs: {@link io.reactivetransfer.ibverbs.IbverbsBackend}. */
@NullMarked
package io.reactivetransfer.ibverbs;

import org.jspecify.annotations.NullMarked;
