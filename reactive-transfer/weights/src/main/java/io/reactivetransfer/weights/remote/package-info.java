/**
 * Trainers that are not in the process of the controller: a {@link
 * io.reactivetransfer.weights.remote.TrainerService} beside each rank of the trainer does what
 * {@link io.reactivetransfer.weights.remote.RemoteTrainers} beside the controller tell it.
 */
@NullMarked
package io.reactivetransfer.weights.remote;

import org.jspecify.annotations.NullMarked;
