/**
 * The soak: two processes write to each other for as long as is wanted, with everything that may go
 * wrong on purpose, and compare every page at every arrival: {@code examples/run soak}. Start with
 * {@link io.reactivetransfer.tools.soak.SoakCommand}.
 */
@NullMarked
package io.reactivetransfer.tools.soak;

import org.jspecify.annotations.NullMarked;
