/**
 * The backend within one JVM: 1 to 8 software NICs for each engine, joined by a {@link
 * io.reactivetransfer.loopback.LoopbackNetwork}. What a network card would do by DMA is done here
 * on the target's own thread, so nothing but that thread ever changes its memory.
 *
 * <p>Start with {@link io.reactivetransfer.loopback.LoopbackBackend}. Then follow one write: {@code
 * LoopbackDomain.post} hands it to the {@code Outbound} side, which copies it into an {@code
 * InFlightWrite} and lets a {@code Link} carry it into the target's {@code Port}. The target's
 * {@code Inbound} side checks it against the {@code MemoryTable}, copies the bytes, reports the
 * immediate, and puts it into the completions of the origin's {@code Port}, where {@code Outbound}
 * finds it.
 *
 * <p>Only {@code Port}, {@code InFlightWrite}'s state and {@code Link}'s refusal mark are touched
 * by more than one thread. Whoever wants delay, loss or another order puts it where {@code Link}
 * carries.
 */
@NullMarked
package io.reactivetransfer.loopback;

import org.jspecify.annotations.NullMarked;
