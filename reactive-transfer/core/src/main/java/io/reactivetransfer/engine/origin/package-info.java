/**
 * Internal: what this engine writes.
 *
 * <p>A {@code Submission} is one stream; {@code Launch} turns its transfers into flights; {@code
 * NicGroup} posts their pieces; {@code FlightControl} ends them, in one place of the turn. What was
 * not done is taken back by its target: {@code Aborts} and {@code GivenUp}. {@code Outbound} is all
 * that is kept of one peer here.
 */
@NullMarked
package io.reactivetransfer.engine.origin;

import org.jspecify.annotations.NullMarked;
