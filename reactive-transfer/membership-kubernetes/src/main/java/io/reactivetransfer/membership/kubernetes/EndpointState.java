package io.reactivetransfer.membership.kubernetes;

/**
 * Which of the endpoints that a slice lists are nodes. Conditions that a slice does not say count
 * as Kubernetes says: ready, serving as ready, and not terminating.
 */
public enum EndpointState {

  /**
   * Those that are ready: their pod passes its readiness probe, and is not about to end. With
   * {@code publishNotReadyAddresses} Kubernetes says so of all pods; take {@link #SERVING} there.
   */
  READY,

  /** These, and those that are about to end and still pass their readiness probe. */
  SERVING,

  /** All: those that have just begun, too, that pass no probe, and that are about to end. */
  ANY
}
