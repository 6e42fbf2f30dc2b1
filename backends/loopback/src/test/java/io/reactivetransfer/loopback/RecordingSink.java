package io.reactivetransfer.loopback;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import java.util.ArrayList;
import java.util.List;

/** Keeps all that a domain reports, as one line each, in order. */
final class RecordingSink implements CompletionSink {

  final List<String> events = new ArrayList<>();

  @Override
  public void written(long token) {
    events.add("written " + token);
  }

  @Override
  public void failed(long token, int code, String text) {
    events.add("failed " + token + " " + code + " " + text);
  }

  @Override
  public void immArrived(int imm, long bytes) {
    events.add("imm " + imm);
  }

  @Override
  public void peerLost(EngineId peer, int code, String text) {
    events.add("lost " + peer.low() + " " + text);
  }

  @Override
  public void nicFailed(int code, String text) {
    events.add("broken " + text);
  }

  /** What was reported since this was last called. */
  List<String> take() {
    List<String> taken = List.copyOf(events);
    events.clear();
    return taken;
  }
}
