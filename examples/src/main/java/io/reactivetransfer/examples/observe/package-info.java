/**
 * Engines that are slow, stuck or lost for a while, as their meters and events show it: what
 * docs/observability.md has recordings of. Start with {@link
 * io.reactivetransfer.examples.observe.Observation}.
 */
@NullMarked
package io.reactivetransfer.examples.observe;

import org.jspecify.annotations.NullMarked;
