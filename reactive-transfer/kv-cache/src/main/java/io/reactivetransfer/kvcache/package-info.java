/** Paged KV-cache hand-over. */
@NullMarked
package io.reactivetransfer.kvcache;

import org.jspecify.annotations.NullMarked;
