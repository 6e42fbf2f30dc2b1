package io.reactivetransfer.cuda.fake;

/** What {@link FakeDriver#live} counts, in the order of {@code fakecuda_kind}. */
public enum Live {
  DEVICE_MEMORY,
  HOST_MEMORY,
  REGISTRATION,
  IPC_MAPPING,
  STREAM,
  EVENT,
  /** That a primary context is retained, once for each time; or that another one is there. */
  CONTEXT,
  /** Captured, or instantiated. */
  GRAPH
}
