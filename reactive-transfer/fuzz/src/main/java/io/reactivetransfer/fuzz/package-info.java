/**
 * What the fuzzers share: a {@link io.reactivetransfer.fuzz.Fuzz run} of many cases, each of which
 * is made of one {@link io.reactivetransfer.fuzz.Input seed} and can be run again by it. And {@link
 * io.reactivetransfer.fuzz.TestNames names} that lead to addresses that a test needs, and {@link
 * io.reactivetransfer.fuzz.TestPki certificates}, and {@link
 * io.reactivetransfer.fuzz.PromptAwaitility how} all tests wait for conditions.
 */
@NullMarked
package io.reactivetransfer.fuzz;

import org.jspecify.annotations.NullMarked;
