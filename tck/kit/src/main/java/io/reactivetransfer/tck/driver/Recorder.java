package io.reactivetransfer.tck.driver;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/** Keeps what polls of a NIC report, one line each, and what it has to say to NICs of others. */
public final class Recorder implements CompletionSink {

  private final List<String> reports = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private final Queue<byte[]> said = new ArrayDeque<>();
  private int lastImm;
  private long lastBytes;
  private final List<byte[]> spoken = new ArrayList<>();

  /** What was reported so far, in order, such as {@code written 7} or {@code imm 7}. */
  public List<String> reports() {
    return reports;
  }

  /** What was said of failures and losses. */
  public List<String> texts() {
    return texts;
  }

  /** The immediate that has come last; 0 if none has. */
  public int lastImm() {
    return lastImm;
  }

  /** How long its write was, as far as the NIC was told. */
  public long lastBytes() {
    return lastBytes;
  }

  /** What it has to say to the other NIC, and was not taken yet. */
  public Queue<byte[]> said() {
    return said;
  }

  /** All that it has had to say. */
  public List<byte[]> spoken() {
    return spoken;
  }

  /** How often a write was reported, in whatever way. */
  public long reportsOf(long token) {
    return reports.stream()
        .filter(report ->
            List.of("written " + token, "failed " + token, "refused " + token).contains(report))
        .count();
  }

  /** How many reports begin like this. */
  public long count(String beginning) {
    return reports.stream().filter(each -> each.startsWith(beginning)).count();
  }

  /** Whether something was reported that begins like this. */
  public boolean has(String beginning) {
    return count(beginning) > 0;
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
  public void immArrived(int imm, long bytes) {
    lastImm = imm;
    lastBytes = bytes;
    reports.add("imm " + imm);
  }

  @Override
  public void toPeer(RemotePeer peer, ByteBuffer message) {
    byte[] bytes = new byte[message.remaining()];
    message.get(message.position(), bytes);
    said.add(bytes);
    spoken.add(bytes);
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
