/**
 * Checksums from trainers to inference ranks, beside the weights themselves: a rank says that it
 * has an update when its bytes are those that the trainers have written.
 */
@NullMarked
package io.reactivetransfer.weights.check;

import org.jspecify.annotations.NullMarked;
