/**
 * Hands a paged KV cache over from prefill nodes to decode nodes, layer by layer while the later
 * layers are still being computed.
 *
 * <p>Read {@link io.reactivetransfer.kvcache.KvDecode} first: it reserves pages, arms the count,
 * and asks a prefill node to fill them. Its counterpart is {@link
 * io.reactivetransfer.kvcache.KvPrefill}. Where a page lies is said by {@link
 * io.reactivetransfer.kvcache.OldLayout}; which pages are free by {@link
 * io.reactivetransfer.kvcache.PagePool}.
 */
@NullMarked
package io.reactivetransfer.kvcache;

import org.jspecify.annotations.NullMarked;
