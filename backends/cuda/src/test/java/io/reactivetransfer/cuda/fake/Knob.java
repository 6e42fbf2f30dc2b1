package io.reactivetransfer.cuda.fake;

/**
 * What {@link FakeDriver#set} changes; {@code knobs.def} says what each is. A process of its own
 * has them as {@link #variable} in its environment.
 */
public enum Knob {
  DEVICES,
  VERSION,
  MEM,
  DELAY_US,
  SEED,
  ALIAS,
  HANG_MS,
  QUIESCE,
  SPIN_US,
  POOLED,
  TRACE;

  /** The name of the environment variable with what it is at first. */
  public String variable() {
    return "FAKECUDA_" + name();
  }
}
