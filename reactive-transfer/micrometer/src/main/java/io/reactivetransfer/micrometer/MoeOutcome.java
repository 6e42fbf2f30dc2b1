package io.reactivetransfer.micrometer;

import io.reactivetransfer.moe.GroupFailedException;
import io.reactivetransfer.moe.MoeException;
import io.reactivetransfer.moe.StepRefusedException;
import org.jspecify.annotations.Nullable;

/** What becomes of steps of a mixture of experts. */
enum MoeOutcome {
  DONE("done"),

  /** By all ranks; the group goes on. */
  REFUSED("refused"),

  /** With the whole group. */
  FAILED("failed");

  /** The value of the tag. */
  final String tag;

  MoeOutcome(String tag) {
    this.tag = tag;
  }

  static MoeOutcome of(@Nullable MoeException failure) {
    return switch (failure) {
      case null -> DONE;
      case StepRefusedException _ -> REFUSED;
      case GroupFailedException _ -> FAILED;
    };
  }
}
