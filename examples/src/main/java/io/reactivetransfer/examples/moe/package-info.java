/**
 * The example {@code moe}: processes that are the ranks of a group of experts, and what starts,
 * kills and measures them. Read {@link io.reactivetransfer.examples.moe.RankWorker} and {@link
 * io.reactivetransfer.examples.moe.StepLoop} for how the library is used; the rest is options,
 * tokens, a reference to compare with, and figures.
 */
@NullMarked
package io.reactivetransfer.examples.moe;

import org.jspecify.annotations.NullMarked;
