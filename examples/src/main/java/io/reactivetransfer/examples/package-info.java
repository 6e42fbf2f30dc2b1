/** Runnable programs. */
@NullMarked
package io.reactivetransfer.examples;

import org.jspecify.annotations.NullMarked;
