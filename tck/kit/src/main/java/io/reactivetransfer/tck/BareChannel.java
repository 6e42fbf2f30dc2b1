package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.EngineIdentity;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The control channel of one engine, without the engine; turned by a test, on the thread that the
 * backend wants. Keeps what its polls reported.
 */
final class BareChannel implements AutoCloseable {

  static final int MAX_MESSAGE_BYTES = 16 * 1024;

  /**
   * A message that came.
   *
   * @param losses that were reported before
   */
  record Received(EngineId sender, ByteBuffer bytes, int losses) {}

  private final EngineIdentity identity = EngineIdentity.draw();
  private final BareThread thread;
  private final ControlChannel channel;
  private final HostPort address;

  // all on that thread
  private final List<Received> received = new ArrayList<>();
  private final List<EngineId> lost = new ArrayList<>();
  private final List<String> texts = new ArrayList<>();
  private final List<String> answers = new ArrayList<>();
  private final List<String> understated = new ArrayList<>();
  private boolean closed;

  BareChannel(Backend backend, Duration timeout) {
    this.thread = new BareThread(backend, "control channel", timeout);
    ControlContext context =
        ControlContext.builder(identity, backend.name(), thread::ring)
            .loop(thread.loop())
            .maxMessageBytes(MAX_MESSAGE_BYTES)
            .connectTimeout(BareThread.connectTimeout(timeout))
            .build();
    this.channel = thread.orEnd(() -> thread.complete(() -> backend.openControl(context)));
    this.address = thread.orEnd(() -> thread.call(channel::address));
  }

  EngineId engine() {
    return identity.id();
  }

  HostPort address() {
    return address;
  }

  /** Whether the doorbell has rung since this was last asked. */
  boolean wasRung() {
    return thread.wasRung();
  }

  /** Does something with the channel on its thread. */
  <T> T call(Function<ControlChannel, T> use) {
    return thread.call(() -> use.apply(channel));
  }

  boolean send(BareChannel to, ByteBuffer message) {
    return call(own -> own.send(to.engine(), to.address(), message));
  }

  /** How many nanoseconds a message takes to be taken over, or refused. */
  long nanosOfSend(BareChannel to, ByteBuffer message) {
    return call(own -> {
      long begin = System.nanoTime();
      own.send(to.engine(), to.address(), message);
      return System.nanoTime() - begin;
    });
  }

  /** How many one poll takes. */
  long nanosOfTurn() {
    return call(own -> {
      long begin = System.nanoTime();
      poll(own);
      return System.nanoTime() - begin;
    });
  }

  /** Polls once; returns what poll returned. */
  int turn() {
    return call(this::poll);
  }

  private int poll(ControlChannel own) {
    int before = received.size() + lost.size() + answers.size();
    int found = own.poll(new Recorder());
    if (found <= 0 && received.size() + lost.size() + answers.size() > before) {
      understated.add("poll returned " + found + " after a report");
    }
    return found;
  }

  List<Received> received() {
    return call(own -> List.copyOf(received));
  }

  /** Those that were reported as lost, in order. */
  List<EngineId> lost() {
    return call(own -> List.copyOf(lost));
  }

  /** What searches came to: the token, and the engine or nobody. */
  List<String> answers() {
    return call(own -> List.copyOf(answers));
  }

  /** What reports said in words. */
  List<String> texts() {
    return call(own -> List.copyOf(texts));
  }

  List<String> understated() {
    return call(own -> List.copyOf(understated));
  }

  /** Closes the channel and ends its thread; once. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    Ending ending = new Ending();
    ending.step(() ->
        call(own -> {
          own.close();
          return true;
        }));
    ending.step(thread::end);
    ending.end();
  }

  private final class Recorder implements ControlSink {

    @Override
    public void received(EngineId sender, ByteBuffer bytes) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      received.add(new Received(sender, ByteBuffer.wrap(copy), lost.size()));
    }

    @Override
    public void found(long token, EngineId peer) {
      answers.add(token + " " + peer);
    }

    @Override
    public void notFound(long token, int code, String text) {
      answers.add(token + " nobody");
      texts.add(text);
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      lost.add(peer);
      texts.add(text);
    }

    @Override
    public void channelFailed(int code, String text) {
      texts.add("failed: " + text);
    }
  }
}
