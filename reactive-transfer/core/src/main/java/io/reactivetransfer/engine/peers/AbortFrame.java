package io.reactivetransfer.engine.peers;

/**
 * What an origin says of an immediate under which it gave something up.
 *
 * @param seq its number, counted by the origin for this peer, from 1
 * @param imm the immediate, or {@link ControlFrame#ALL_IMMS}
 * @param shares what the target has counted, or will, and has to take back
 * @param flags of {@link ControlFrame}
 * @param text the reason
 */
public record AbortFrame(int seq, int imm, long shares, int flags, String text) {

  /** So many immediates of one origin are noted that nobody claims; of more, the oldest goes. */
  public static final int MAX_NOTES = 256;

  /** Immediates in doubt; while there are so many, nothing more is counted there. */
  public static final int MAX_DOUBTFUL = 1_024;

  /** Whether it says that something is not done, and not only asks, or takes back what it said. */
  public static boolean takesBack(long shares, int flags) {
    return shares != 0 || (flags & (ControlFrame.FAILS | ControlFrame.DOUBT)) != 0;
  }

  public boolean has(int flag) {
    return (flags & flag) != 0;
  }
}
