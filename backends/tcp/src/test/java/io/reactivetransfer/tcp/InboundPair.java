package io.reactivetransfer.tcp;

import io.reactivetransfer.control.socket.ErrorCode;

/** A connection to a NIC, and the model of it; what goes to the one goes to the other. */
final class InboundPair {

  private final FuzzSocket socket;
  private final TargetModel model;

  /** What was sent and not read yet. */
  private byte[] under = new byte[1_024];

  private int from;
  private int to;
  private boolean narrow;

  /** Whether it ended while there was no room for all that it had to say. */
  private boolean cutShort;

  InboundPair(FuzzNic nic, int readBytes) {
    socket = nic.connected(readBytes);
    model = new TargetModel(nic.model);
  }

  boolean isOpen() {
    return model.isOpen();
  }

  void send(byte[] bytes) {
    if (to + bytes.length > under.length) {
      byte[] more = new byte[Math.max(under.length, 2 * (to - from + bytes.length))];
      System.arraycopy(under, from, more, 0, to - from);
      under = more;
      to -= from;
      from = 0;
    }
    System.arraycopy(bytes, 0, under, to, bytes.length);
    to += bytes.length;
  }

  /** Whether something was sent that it has not read, though it could. */
  boolean hasUnread() {
    return from < to && socket.isOpen();
  }

  /** Has it read once what has come, so many bytes at most; false if it does not want to. */
  boolean deliver(int most) {
    int read = socket.readFrom(under, from, Math.min(to, from + most));
    model.feed(under, from, from + read);
    from += read;
    requireSameState();
    return read > 0;
  }

  void deliverAll() {
    while (deliver(Integer.MAX_VALUE >> 1)) {
      // on
    }
    if (socket.isOpen() && from < to) {
      throw new AssertionError("expected it to read on, " + (to - from) + " bytes are left");
    }
  }

  void room(int bytes) {
    if (model.isEnded()) {
      return; // what it had to say was said then, or never will be
    }
    narrow = bytes != Integer.MAX_VALUE;
    socket.room(bytes);
  }

  void cut() {
    cutShort |= narrow;
    socket.end();
    model.end(ErrorCode.BROKEN.value);
  }

  void outOfTime() {
    model.outOfTime();
    requireSameState();
  }

  private void requireSameState() {
    if (socket.isOpen() == model.isEnded()) {
      throw new AssertionError(
          "expected the connection to be " + (model.isEnded() ? "ended" : "open"));
    }
    socket.checkException();
    cutShort |= narrow && model.isEnded();
  }

  /** What it was answered is what it had to be. */
  void check() {
    requireSameState();
    if (cutShort) {
      return;
    }
    Answers answers = Answers.of(socket.taken());
    require("welcome", model.wasGreeted(), socket.takenBytes() > 0 && answers.refusal == 0);
    require("refusal", model.refusal(), answers.refusal);
    require("goodbye", model.goodbye(), answers.goodbye);
    require("settled", model.settled(), answers.settled);
  }

  private void require(String what, Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError("expected as " + what + " " + expected + ", got " + actual);
    }
  }
}
