/**
 * All three pipelines at once, on one engine per node: a KV cache each way, updates of weights, and
 * steps of experts, each of which compares every byte that it moves.
 */
@NullMarked
package io.reactivetransfer.examples.together;

import org.jspecify.annotations.NullMarked;
