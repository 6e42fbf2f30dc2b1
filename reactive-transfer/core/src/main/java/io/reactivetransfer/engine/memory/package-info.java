/**
 * Internal: memory, ours as NICs have registered it and others' as NICs know it.
 *
 * <p>{@code Regions} are those of one engine; a {@code RegisteredRegion} counts the flights that
 * use it. {@code Revocations} ask those who write to a region to stop. A {@code ResolvedRegion} is
 * a peer's.
 */
@NullMarked
package io.reactivetransfer.engine.memory;

import org.jspecify.annotations.NullMarked;
