/**
 * Internal: what every room of the engine stands on and what knows none of them. Collections
 * without allocation, timers, counters, and the hand-over of signals to subscribers.
 */
@NullMarked
package io.reactivetransfer.engine.base;

import org.jspecify.annotations.NullMarked;
