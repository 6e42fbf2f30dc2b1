package io.reactivetransfer.tools.soak;

import java.util.Locale;

/** What a soak does besides writing; each can be left out, to see the rest. */
enum Feature {
  /** Targets revoke the memory that is being written to. */
  REVOCATIONS,
  /** Origins cancel. */
  CANCELS,
  /** Origins give transfers less time than they may need. */
  DEADLINES,
  /** Both sides talk beside what the rounds need. */
  MESSAGES,
  /** Both sides meet in barriers. */
  BARRIERS,
  /** Regions are closed and registered anew. */
  REGISTRATIONS,
  /** Half of the engines are closed and opened again and again. */
  REOPENINGS;

  /** As it is written on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
