/**
 * What the packages of this library share about messages and events. It is public only because
 * packages are: nothing here is for applications, and it may change in any release.
 */
@NullMarked
package io.reactivetransfer.weights.internal;

import org.jspecify.annotations.NullMarked;
