package io.reactivetransfer.control.socket;

/** What can go wrong, with the number that stands for it on the wire and in the sinks. */
public enum ErrorCode {
  /** The other side sent something that is not of the protocol. */
  PROTOCOL(1),
  /** The two sides speak different versions. */
  VERSION(2),
  /** Another engine is at this address, most likely because the process was restarted. */
  WRONG_ENGINE(3),
  /** No connection came about. */
  CONNECT(4),
  /** No session, or no connection of a NIC, came about in time. */
  TIMEOUT(5),
  /** The other side closed in good order. */
  CLOSED(6),
  /** A connection broke. */
  BROKEN(7),
  /** One side found the other one dead or stopped, or needs it no more. */
  GIVEN_UP(8),
  /** The other side has begun another session, or made another connection, in place of this one. */
  REPLACED(9),
  /** One side did not prove that it knows the secret, who it is, or that it has a session. */
  UNAUTHENTICATED(10),
  /** There are too many connections, or one address makes too many. */
  BUSY(11),
  /** The two sides did not come to terms about TLS. */
  TLS(12),
  /** The address that was dialled is not one of the engine that answers. */
  WRONG_ADDRESS(13),
  /** The two engines use different backends. */
  BACKEND(14),
  /** Both sides dialled, and the other connection stays. */
  CROSSED(15),
  /** No memory has this key (any more). */
  UNKNOWN_KEY(16),
  /** The memory is for local use only. */
  ACCESS(17),
  /** The write does not lie within the memory. */
  BOUNDS(18),
  /** The memory was revoked or deregistered while the write was half-way in. */
  REVOKED(19),
  /** The target's memory is gone, although it is still registered. */
  MEMORY_GONE(20),
  /** The target's accelerator does not say whether it goes on writing what it was given. */
  UNKNOWN_END(21);

  /** The number. */
  public final int value;

  ErrorCode(int value) {
    this.value = value;
  }

  /** A failure of this kind. */
  public Failure because(String text) {
    return new Failure(value, text);
  }
}
