package io.reactivetransfer.simulation.weights;

import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.weights.remote.RemoteTrainers;
import io.reactivetransfer.weights.version.WeightsController;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** A controller: with trainers that are elsewhere. */
final class Steering extends Role {

  private final List<Attempt> attempts = new ArrayList<>();
  private @Nullable TransferEngine engine;
  private @Nullable WeightsController controller;
  private @Nullable RemoteTrainers remote;
  private boolean hasTakenOver;
  private boolean retired;

  Steering(WeightsNode node, int index) {
    super(node, index);
  }

  @Override
  Mono<Void> register(TransferEngine opened) {
    engine = opened;
    return Mono.empty();
  }

  @Override
  int regions() {
    return 0;
  }

  @Override
  void begin(TransferEngine opened) {
    TransferEngine shown = world.tampering().controller(opened);
    hasTakenOver = false;
    controller = world.tampering().open(shown, node.timers(), world.newNumber());
    remote = RemoteTrainers.open(shown, node.timers());
  }

  @Nullable WeightsController controller() {
    return controller;
  }

  @Nullable RemoteTrainers remote() {
    return remote;
  }

  /** Whether something is on here, as far as its application knows. */
  boolean isBusy() {
    return attempts.stream().anyMatch(attempt -> !attempt.isOver());
  }

  /** Whether something may be on here: what was cancelled goes on for a while. */
  boolean mayBeBusy() {
    return attempts.stream().anyMatch(attempt -> !attempt.hasEnded());
  }

  /** Whether this controller has done something already. */
  boolean hasTakenOver() {
    return hasTakenOver;
  }

  void began(Attempt attempt) {
    hasTakenOver = true;
    attempts.add(attempt);
  }

  /** Closes both, whatever runs, and opens others. */
  void reopen() {
    TransferEngine on = engine;
    closeBoth();
    if (node.isUp() && on != null && !retired) {
      begin(on);
    }
  }

  private void closeBoth() {
    WeightsController old = controller;
    RemoteTrainers trainers = remote;
    controller = null;
    remote = null;
    attempts.forEach(Attempt::controllerClosed);
    if (old != null) {
      old.close();
    }
    if (trainers != null) {
      trainers.close();
    }
  }

  @Override
  void retire() {
    retired = true;
    closeBoth();
  }

  @Override
  boolean isReady() {
    return controller != null;
  }

  @Override
  boolean isRetired() {
    return retired;
  }

  @Override
  void reading(Strip strip, long offset, long length) {
    world.referee().violated("a NIC reads " + strip);
  }

  @Override
  void writing(Strip strip, long offset, long length) {
    world.referee().violated("a NIC writes to " + strip);
  }

  @Override
  public String toString() {
    return node.toString();
  }
}
