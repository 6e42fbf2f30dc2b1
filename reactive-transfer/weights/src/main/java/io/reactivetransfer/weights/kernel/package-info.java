/**
 * What a rank of the trainer does with elements before it sends them: brings them together, casts
 * them, quantises them.
 *
 * <p>Begin with {@link io.reactivetransfer.weights.kernel.PrepareFunction}, which is the
 * application's to replace; {@link io.reactivetransfer.weights.kernel.PrepareFunction#standard()}
 * is the one that comes with this library.
 */
@NullMarked
package io.reactivetransfer.weights.kernel;

import org.jspecify.annotations.NullMarked;
