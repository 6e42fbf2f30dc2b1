/**
 * The example {@code weights}: processes that are trainers, inference ranks and a controller, and
 * what starts, kills and watches them. Read {@link
 * io.reactivetransfer.examples.weights.TrainerWorker}, {@link
 * io.reactivetransfer.examples.weights.RankWorker} and {@link
 * io.reactivetransfer.examples.weights.ControllerWorker} for how the library is used; the rest is
 * options, a model, a reference to compare with, and figures.
 */
@NullMarked
package io.reactivetransfer.examples.weights;

import org.jspecify.annotations.NullMarked;
