/**
 * Runnable programs, started by {@code examples/run NAME}. Read {@link
 * io.reactivetransfer.examples.first.FirstWrite} first: it is the one in the README.
 */
@NullMarked
package io.reactivetransfer.examples;

import org.jspecify.annotations.NullMarked;
