/**
 * The bytes of routing tables and of what ranks say of themselves.
 *
 * <p>Begin with {@link io.reactivetransfer.weights.codec.WeightsCodec}; the bytes one by one are in
 * {@code docs/weights.md}.
 */
@NullMarked
package io.reactivetransfer.weights.codec;

import org.jspecify.annotations.NullMarked;
