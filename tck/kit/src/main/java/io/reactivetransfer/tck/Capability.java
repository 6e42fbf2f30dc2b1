package io.reactivetransfer.tck;

/**
 * What a backend may declare that it cannot do. The rules that need it are then skipped, with the
 * declared reason, and nothing else is. Several NICs and the completion level are no part of this:
 * the kit asks the backend itself.
 */
public enum Capability {
  /** The target refuses writes outside of the registered memory, whatever the origin believes. */
  TARGET_CHECKS,
  /** A revoked or deregistered key is refused from the moment on that revocation has returned. */
  REVOCATION,
  /** A peer that closed, or never was there, is noticed. */
  LOST_PEERS,
  /** Whoever knows one key of a NIC cannot guess the next. */
  SECRET_KEYS
}
