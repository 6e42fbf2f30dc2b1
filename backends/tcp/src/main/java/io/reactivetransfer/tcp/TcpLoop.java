package io.reactivetransfer.tcp;

import io.netty.channel.EventLoop;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.ControlLoop;
import io.reactivetransfer.spi.WorkerLoop;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/**
 * The event loop of one engine, which its control channel and its NICs share, with what the NICs
 * have in common. Made outside of the loop, because drawing a seed blocks.
 */
final class TcpLoop implements WorkerLoop {

  private final ControlLoop loop;
  private final Supplier<MemoryKey> keys;
  private final Links links = new Links();
  private Authentication.@Nullable Sessions sessions;
  private final SmallBuffers smallBuffers = new SmallBuffers();

  TcpLoop(ControlLoop loop) {
    this(loop, new KeySource());
  }

  /** With keys that somebody else chooses. */
  TcpLoop(ControlLoop loop, Supplier<MemoryKey> keys) {
    this.loop = loop;
    this.keys = keys;
  }

  /** The sessions of the engine: what its NICs' connections prove that they belong to. */
  void attach(Authentication.Sessions known) {
    sessions = known;
  }

  /** Null for NICs that are driven without a control channel, by a test. */
  Authentication.@Nullable Sessions sessions() {
    return sessions;
  }

  /** What the control channel runs on. */
  ControlLoop shared() {
    return loop;
  }

  EventLoop eventLoop() {
    return loop.eventLoop();
  }

  TcpClient client() {
    return loop.client();
  }

  TcpServer server() {
    return loop.server();
  }

  /** Whether what the sockets carry is not what the links write. */
  boolean encrypts() {
    return loop.encrypts();
  }

  Supplier<MemoryKey> keys() {
    return keys;
  }

  SmallBuffers smallBuffers() {
    return smallBuffers;
  }

  Links links() {
    return links;
  }

  /** With the session of two engines ends what they write to each other. */
  void sessionEnded(EngineId engine) {
    links.sessionEnded(engine);
  }

  @Override
  public boolean inLoop() {
    return loop.inLoop();
  }

  @Override
  public void execute(Runnable task) {
    loop.execute(task);
  }

  /**
   * Runs the task after the sockets were asked. Tasks that others follow at once would run one
   * after the other for up to a second, and nothing be read or written meanwhile.
   */
  void executeAfterSockets(Runnable task) {
    loop.schedule(task, 0);
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    loop.schedule(task, delayNanos);
  }

  @Override
  public CompletionStage<Void> close() {
    return loop.close();
  }
}
