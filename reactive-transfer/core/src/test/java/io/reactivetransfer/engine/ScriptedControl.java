package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * A control channel that does what it is told: it writes down what it gets, and reports only what
 * the test makes it report. What the engine must never do, it notes as a violation.
 *
 * <p>One thing it does by itself, unless a test wants otherwise: an engine that greets a peer which
 * it has not heard in this session is greeted by that peer at the next poll, so that it can write.
 */
public final class ScriptedControl implements ControlChannel {

  /** A message that was taken over. */
  public record Frame(EngineId to, byte kind, byte[] content) {}

  /** Who is looked for. */
  record Search(long token, HostPort at) {}

  /** A session that the engine ended. */
  public record Disconnection(EngineId peer, String reason) {}

  private record Report(EngineId from, Consumer<ControlSink> action) {}

  private static final int KNOWN_AT = Integer.BYTES;

  final ControlContext context;
  private final ScriptedBackend backend;
  private final int maxMessageBytes;
  private final Thread thread = Thread.currentThread();
  private final ArrayDeque<Report> reports = new ArrayDeque<>();
  private final List<Frame> sent = new ArrayList<>();
  private final List<HostPort> sentTo = new ArrayList<>();
  private final List<Search> searches = new ArrayList<>();
  private final List<Disconnection> disconnections = new ArrayList<>();
  private boolean closed;
  private boolean failed;

  /** Whether peers greet who greets them. */
  public boolean peersGreet = true;

  /** How many messages it takes over before it refuses. */
  public int sendRoom = Integer.MAX_VALUE;

  Throwable closeFailure;

  /** Complete when nothing of it runs any more. */
  CompletionStage<Void> ended = CompletableFuture.completedStage(null);

  ScriptedControl(ScriptedBackend backend, ControlContext context, int maxMessageBytes) {
    this.backend = backend;
    this.context = context;
    this.maxMessageBytes = maxMessageBytes;
  }

  // ---- what a test sees ----

  public List<Frame> sent() {
    return List.copyOf(sent);
  }

  public List<Frame> sent(byte kind) {
    return sent.stream().filter(frame -> frame.kind() == kind).toList();
  }

  /** Where the last message was to go. */
  public HostPort lastAddress() {
    return sentTo.getLast();
  }

  /** So that a long test does not remember all of them. */
  public void forgetSent() {
    sent.clear();
    sentTo.clear();
  }

  List<Search> searches() {
    return List.copyOf(searches);
  }

  public List<Disconnection> disconnections() {
    return List.copyOf(disconnections);
  }

  boolean isClosed() {
    return closed;
  }

  // ---- what a test makes it do, at the next poll ----

  public void receive(EngineId sender, ByteBuffer frame) {
    reports.add(new Report(sender, sink -> sink.received(sender, frame)));
  }

  void found(long token, EngineId peer) {
    reports.add(new Report(null, sink -> sink.found(token, peer)));
  }

  void notFound(long token, int code, String text) {
    reports.add(new Report(null, sink -> sink.notFound(token, code, text)));
  }

  /** The session with a peer is over, or could not be made. */
  public void lose(EngineId peer, int code, String text) {
    reports.add(new Report(peer, sink -> sink.peerLost(peer, code, text)));
  }

  /** It can do nothing more. */
  void fail(int code, String text) {
    reports.add(
        new Report(
            null,
            sink -> {
              failed = true;
              sink.channelFailed(code, text);
            }));
  }

  // ---- what the engine calls ----

  @Override
  public HostPort address() {
    return new HostPort("here", 7400);
  }

  @Override
  public int maxMessageBytes() {
    return maxMessageBytes;
  }

  @Override
  public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
    called("send");
    if (bytes.remaining() > maxMessageBytes) {
      backend.violated("a control message of " + bytes.remaining() + " bytes");
    }
    if (sendRoom == 0 || failed) {
      return false;
    }
    sendRoom--;
    ByteBuffer copy = bytes.duplicate();
    byte kind = copy.get();
    byte[] content = new byte[copy.remaining()];
    copy.get(content);
    sent.add(new Frame(to, kind, content));
    sentTo.add(at);
    if (kind == ControlFrame.HELLO && peersGreet) {
      answer(to, ByteBuffer.wrap(content));
    }
    return true;
  }

  /** Who was greeted by someone who does not know its number greets in turn. */
  private void answer(EngineId to, ByteBuffer greeting) {
    if (greeting.getInt(KNOWN_AT) == 0) {
      receive(to, EngineByHand.hello(to, backend.peerNics(), 1, greeting.getInt(0)));
      context.doorbell().ring();
    }
  }

  @Override
  public void find(long token, HostPort at) {
    called("find");
    searches.add(new Search(token, at));
  }

  @Override
  public void disconnect(EngineId peer, String reason) {
    called("disconnect");
    disconnections.add(new Disconnection(peer, reason));
    reports.removeIf(report -> peer.equals(report.from()));
  }

  @Override
  public int poll(ControlSink sink) {
    called("poll");
    int count = 0;
    Report next;
    while ((next = reports.poll()) != null) {
      next.action().accept(sink);
      count++;
    }
    return count;
  }

  @Override
  public void close() {
    called("close");
    backend.note("control closed");
    closed = true;
    ScriptedNic.raise(closeFailure);
  }

  @Override
  public CompletionStage<Void> closed() {
    if (!closed) {
      backend.violated("asked when it has closed before close of the control channel");
    }
    return ended;
  }

  private void called(String what) {
    if (closed) {
      backend.violated(what + " after close of the control channel");
    }
    if (Thread.currentThread() != thread) {
      backend.violated(what + " on " + Thread.currentThread() + " instead of " + thread);
    }
  }
}
