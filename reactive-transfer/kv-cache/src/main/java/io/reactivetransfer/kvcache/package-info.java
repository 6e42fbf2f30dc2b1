/**
 * Hands a paged KV cache over from prefill nodes to decode nodes, layer by layer while the later
 * layers are still being computed.
 *
 * <p>Begin with {@link io.reactivetransfer.kvcache.KvCache}, of which each engine has one. Its two
 * roles are {@link io.reactivetransfer.kvcache.KvDecode}, which orders, and {@link
 * io.reactivetransfer.kvcache.KvPrefill}, which serves. The pages are the application's: an order
 * names those that are to be filled, and says when nothing can write to them any more. {@link
 * io.reactivetransfer.kvcache.PagePool} is one way to own pages. Where they lie is data, a {@link
 * io.reactivetransfer.kvcache.KvLayout}.
 */
@NullMarked
package io.reactivetransfer.kvcache;

import org.jspecify.annotations.NullMarked;
