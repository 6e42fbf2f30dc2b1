/**
 * Mixture of experts: in each layer, the ranks of an expert-parallel group send their tokens to the
 * ranks that hold the experts, and get the results back, weighted and summed.
 *
 * <p>Begin with {@link io.reactivetransfer.moe.MoeShape}, which all ranks agree on, and {@link
 * io.reactivetransfer.moe.MoeMemory}, which says how much memory a rank needs for it.
 */
@NullMarked
package io.reactivetransfer.moe;

import org.jspecify.annotations.NullMarked;
