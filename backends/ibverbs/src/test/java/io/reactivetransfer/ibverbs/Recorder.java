package io.reactivetransfer.ibverbs;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Keeps what polls report, one line each, and what is to be told to the other NIC. */
final class Recorder implements CompletionSink {

  private final List<String> reports = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private final Queue<byte[]> said = new ArrayDeque<>();

  /** What was reported so far, in order. */
  List<String> reports() {
    return reports;
  }

  /** What was said of failures and losses. */
  List<String> texts() {
    return texts;
  }

  /** What it has to say to the other NIC, and was not taken yet. */
  Queue<byte[]> said() {
    return said;
  }

  /** How often a write was reported, in whatever way. */
  long reportsOf(long token) {
    return reports.stream()
        .filter(report ->
            List.of("written " + token, "failed " + token, "refused " + token).contains(report))
        .count();
  }

  /** How many reports begin like this. */
  long count(String beginning) {
    return reports.stream().filter(each -> each.startsWith(beginning)).count();
  }

  @Override
  public void written(long token) {
    reports.add("written " + token);
  }

  @Override
  public void failed(long token, int code, String text) {
    reports.add("failed " + token);
    texts.add(text);
  }

  @Override
  public void refused(long token, int code, String text) {
    reports.add("refused " + token);
    texts.add(text);
  }

  @Override
  public void immArrived(int imm) {
    reports.add("imm " + imm);
  }

  @Override
  public void toPeer(RemotePeer peer, ByteBuffer message) {
    byte[] bytes = new byte[message.remaining()];
    message.get(message.position(), bytes);
    said.add(bytes);
  }

  @Override
  public void peerLost(EngineId peer, int code, String text) {
    reports.add("lost " + peer.high());
    texts.add(text);
  }

  @Override
  public void nicFailed(int code, String text) {
    reports.add("broken");
    texts.add(text);
  }
}
