/**
 * What the ranks of a trainer and of an inference engine hold of a model's weights, as data: which
 * tensors, which parts of them, where in memory; and of what an inference tensor is made.
 *
 * <p>Begin with {@link io.reactivetransfer.weights.SourceRank} and {@link
 * io.reactivetransfer.weights.TargetRank}, which are what one rank says of itself. {@link
 * io.reactivetransfer.weights.Sharding} says which part of a tensor each rank of a {@link
 * io.reactivetransfer.weights.Mesh} holds. Who writes what where is then planned in {@link
 * io.reactivetransfer.weights.plan}.
 */
@NullMarked
package io.reactivetransfer.weights;

import org.jspecify.annotations.NullMarked;
