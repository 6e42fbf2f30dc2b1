/**
 * Versions of weights on inference ranks, and who decides which one they serve.
 *
 * <p>Readers take a lease on a version for each batch. An update is written beside the version that
 * runs, or in its place, and then all living ranks take it or none does. The protocol is two-phase
 * commit with a recovery; what it is, what blocks it and what does not, is said in {@code
 * docs/weights.md} and in decision 0053.
 */
@NullMarked
package io.reactivetransfer.weights.version;

import org.jspecify.annotations.NullMarked;
