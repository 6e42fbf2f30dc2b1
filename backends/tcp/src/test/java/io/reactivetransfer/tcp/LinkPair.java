package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import java.util.Arrays;
import java.util.List;

/** A connection of a NIC, and the model of it; what goes to the one goes to the other. */
final class LinkPair {

  private final FuzzNic nic;
  private final FuzzSocket socket;
  private final LinkModel model;

  /** What was sent and not read yet. */
  private byte[] under = new byte[1_024];

  private int from;
  private int to;
  private boolean narrow;

  /** Whether it ended while there was no room for all that it had to say. */
  private boolean cutShort;

  private LinkPair(FuzzNic nic, FuzzSocket socket, LinkModel model) {
    this.nic = nic;
    this.socket = socket;
    this.model = model;
  }

  /** Somebody connects to the NIC. */
  static LinkPair accepted(FuzzNic nic, int readBytes) {
    return new LinkPair(nic, nic.connected(readBytes), LinkModel.accepted(nic.model));
  }

  /** It connects to a NIC of that engine. */
  static LinkPair dialled(FuzzNic nic, EngineId target, int index) {
    return new LinkPair(
        nic, nic.connecting(target, index), LinkModel.dialled(nic.model, target, index));
  }

  LinkModel model() {
    return model;
  }

  boolean isOpen() {
    return model.isOpen();
  }

  boolean isWritable() {
    return socket.isWritable();
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
    int sent = model.inFlight() == 0 ? 0 : sent().writes;
    int read = socket.readFrom(under, from, Math.min(to, from + most));
    model.feed(under, from, from + read, sent);
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
    nic.endTurn();
  }

  void cut() {
    cutShort |= !model.isEnded();
    socket.end();
    model.end(ErrorCode.BROKEN.value);
  }

  void outOfTime() {
    model.outOfTime();
    requireSameState();
  }

  /** It may have ended because of what came on another one. */
  void noteEnd() {
    cutShort |= narrow && model.isEnded();
  }

  private void requireSameState() {
    if (socket.isOpen() == model.isEnded()) {
      throw new AssertionError(
          "expected the connection to be " + (model.isEnded() ? "ended" : "open"));
    }
    socket.checkException();
    noteEnd();
  }

  private SentFrames sent() {
    byte[] taken = socket.taken();
    if (!model.isDialled()) {
      return SentFrames.afterAnswer(taken);
    }
    byte[] hello = model.hello();
    if (!Arrays.equals(taken, 0, Math.min(taken.length, hello.length), hello, 0, hello.length)) {
      throw new AssertionError("expected its hello first");
    }
    return SentFrames.of(taken, hello.length);
  }

  /** What it said is what it had to say. */
  void check() {
    requireSameState();
    SentFrames sent = sent();
    requirePosted(sent.posted);
    if (cutShort) {
      return;
    }
    require("cut off", false, sent.isCut);
    if (!model.isDialled()) {
      require("welcome", model.wasGreeted(), socket.takenBytes() > 0 && sent.refusal == 0);
    }
    require("refusal", model.refusal(), sent.refusal);
    require("goodbye", model.goodbye(), sent.goodbye);
    require("settled", model.settled(), sent.settled);
  }

  /** All of it, if it was not ended; what waited then is for nobody. */
  private void requirePosted(List<byte[]> posted) {
    int count = model.posted().size();
    if (posted.size() > count || !cutShort && !model.isEnded() && posted.size() < count) {
      throw new AssertionError("expected " + count + " frames to be sent, got " + posted.size());
    }
    for (int i = 0; i < posted.size(); i++) {
      if (!Arrays.equals(posted.get(i), model.posted().get(i))) {
        throw new AssertionError("expected other bytes in frame " + i + " that was sent");
      }
    }
  }

  private static void require(String what, Object expected, Object actual) {
    if (!expected.equals(actual)) {
      throw new AssertionError("expected as " + what + " " + expected + ", got " + actual);
    }
  }
}
