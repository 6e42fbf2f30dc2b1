/**
 * The example {@code kv-cache}: a decode and a prefill process, and what starts and watches them.
 * Read {@link io.reactivetransfer.examples.kvcache.DecodeRole} and {@link
 * io.reactivetransfer.examples.kvcache.PrefillRole} for how the library is used; the rest is
 * options, processes and figures.
 */
@NullMarked
package io.reactivetransfer.examples.kvcache;

import org.jspecify.annotations.NullMarked;
