package io.reactivetransfer.tcp.faults;

/** Sees what goes through a {@link Cable} in one direction before it goes on, and may change it. */
@FunctionalInterface
public interface Tap {

  /**
   * A piece passes.
   *
   * @param position how many bytes of this connection and direction came before
   */
  void passes(long position, byte[] bytes, int offset, int length);
}
