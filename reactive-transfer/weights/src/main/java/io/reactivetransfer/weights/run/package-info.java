/**
 * Does what a routing table says: one {@link io.reactivetransfer.weights.run.TrainerRank} for each
 * rank of the trainer. An inference rank needs nothing of this package: it counts arrivals.
 */
@NullMarked
package io.reactivetransfer.weights.run;

import org.jspecify.annotations.NullMarked;
