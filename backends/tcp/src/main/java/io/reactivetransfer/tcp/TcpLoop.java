package io.reactivetransfer.tcp;

import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.ControlLoop;
import io.reactivetransfer.spi.WorkerLoop;
import java.util.ArrayDeque;
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

  /** What is to run when the sockets were asked, in order. */
  private final ArrayDeque<Runnable> afterSockets = new ArrayDeque<>();

  private final Runnable nextTurn = this::beginNextTurn;

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
   * Runs the task after the sockets were asked; for the loop's own thread. Tasks that others follow
   * at once would run one after the other for up to a second, and nothing be read or written
   * meanwhile. What is scheduled would cost an object each time.
   */
  void executeAfterSockets(Runnable task) {
    if (!(eventLoop() instanceof SingleThreadEventLoop own)) {
      loop.schedule(task, 0); // somebody else turns it, such as a test
      return;
    }
    if (own.isShutdown()) {
      return; // it is dropped like all that comes then
    }
    afterSockets.add(task);
    if (afterSockets.size() == 1) {
      own.executeAfterEventLoopIteration(nextTurn);
    }
  }

  /** The tasks of this turn were run; the next one begins with the sockets. */
  private void beginNextTurn() {
    for (Runnable each; (each = afterSockets.poll()) != null; ) {
      loop.execute(each);
    }
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
