package io.reactivetransfer.control;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelOption;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.util.concurrent.FastThreadLocalThread;
import io.reactivetransfer.spi.WorkerLoop;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import reactor.core.scheduler.NonBlocking;
import reactor.netty.resources.LoopResources;
import reactor.netty.tcp.SslProvider;
import reactor.netty.tcp.TcpClient;
import reactor.netty.tcp.TcpServer;

/**
 * The event loop of one engine, with what its control channel and its NICs need to listen and to
 * connect on it. Made outside of the loop, because drawing a seed and reading the resolver's files
 * blocks.
 *
 * <p>Tasks that come after {@link #close()} are dropped: nothing of the engine runs any more.
 */
public final class ControlLoop implements WorkerLoop {

  private static final AtomicInteger COUNT = new AtomicInteger();

  /**
   * How much is read at once from who writes here, where it is not read straight to its place. With
   * more, a whole window comes at once, and then one side always waits for the other; with less,
   * there are too many reads. Measured, see docs/performance.md.
   */
  private static final RecvByteBufAllocator READ_SIZES = new FixedRecvByteBufAllocator(48 << 10);

  /** What is due sooner is not worth another thread's work. */
  private static final long MIN_ALARM_NANOS = 1_000_000;

  private final ByteBufAllocator buffers = LoopBuffers.take();
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final EventLoopGroup group;
  private final EventLoop eventLoop;
  private final TcpClient client;
  private final TcpServer server;
  private final boolean encrypts;
  private final @Nullable Alarms alarms;

  ControlLoop(String kind, Transport transport, @Nullable Tls tls) {
    this(transport, tls, threads("transfer-" + kind + "-" + COUNT.getAndIncrement()));
  }

  /**
   * The same on a thread of the caller's.
   *
   * @param threads makes it of what it runs, and of what it runs last
   */
  ControlLoop(
      Transport transport, @Nullable Tls tls, BiFunction<Runnable, Runnable, Thread> threads) {
    warmUp();
    group = new SocketLoop(task -> threads.apply(task, this::threadEnded), transport.handlers());
    eventLoop = group.next();
    var _ =
        eventLoop
            .terminationFuture()
            .addListener(end -> {
              if (!end.isSuccess()) {
                threadEnded(); // there was none
              }
            });
    client = tls == null ? newClient() : newClient().secure(spec -> secure(spec, tls.client()));
    server = tls == null ? newServer() : newServer().secure(spec -> secure(spec, tls.server()));
    encrypts = tls != null;
    alarms = new Alarms(this::execute);
  }

  private static BiFunction<Runnable, Runnable, Thread> threads(String name) {
    return (task, ended) -> new LoopThread(task, name, ended);
  }

  /** On a loop that somebody else turns and ends, such as a test. */
  public static ControlLoop on(EventLoop eventLoop) {
    return new ControlLoop(eventLoop);
  }

  private ControlLoop(EventLoop eventLoop) {
    this.group = eventLoop;
    this.eventLoop = eventLoop;
    client = newClient();
    server = newServer();
    encrypts = false;
    alarms = null;
  }

  /** The loop. */
  public EventLoop eventLoop() {
    return eventLoop;
  }

  /** For connections that this engine makes; encrypted if the others are. */
  public TcpClient client() {
    return client;
  }

  /** For connections that others make. */
  public TcpServer server() {
    return server;
  }

  /** Whether what the sockets carry is not what the links write. */
  public boolean encrypts() {
    return encrypts;
  }

  @Override
  public boolean inLoop() {
    return eventLoop.inEventLoop();
  }

  @Override
  public void execute(Runnable task) {
    try {
      eventLoop.execute(task);
    } catch (RejectedExecutionException e) {
      requireClosed(e);
    }
  }

  @Override
  public void schedule(Runnable task, long delayNanos) {
    if (alarms != null && delayNanos >= MIN_ALARM_NANOS && inLoop()) {
      alarms.set(task, delayNanos);
      return;
    }
    try {
      var _ = eventLoop.schedule(task, delayNanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException e) {
      requireClosed(e);
    }
  }

  @Override
  public CompletionStage<Void> close() {
    var _ = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    return ended;
  }

  /**
   * Complete when its thread has ended, whyever, or it gets none; never, if that is somebody
   * else's.
   */
  CompletionStage<Void> ended() {
    return ended;
  }

  private void threadEnded() {
    if (alarms != null) {
      alarms.clear();
    }
    LoopBuffers.giveBack(buffers);
    ended.complete(null);
  }

  private void requireClosed(RejectedExecutionException e) {
    if (!eventLoop.isShuttingDown()) {
      throw e;
    }
  }

  /** What Netty reads from files when it is first used: now, and not on the loop. */
  private static void warmUp() {
    Objects.requireNonNull(DefaultChannelId.newInstance(), "the ids of the machine and process");
    boolean _ = LoopResources.hasNativeSupport();
    Alarms.warmUp();
  }

  /** The links have deadlines of their own, for the whole of a handshake. */
  private static void secure(SslProvider.SslContextSpec spec, SslContext context) {
    spec.sslContext(context).handshakeTimeoutMillis(0);
  }

  private TcpClient newClient() {
    return TcpClient.newConnection()
        // First, or reactor-netty makes a resolver for this loop, and keeps both for ever.
        .resolver(new OffLoopResolver())
        .runOn(group)
        .option(ChannelOption.ALLOCATOR, buffers)
        .option(ChannelOption.TCP_NODELAY, true)
        .option(ChannelOption.RECVBUF_ALLOCATOR, READ_SIZES)
        .option(ChannelOption.SO_KEEPALIVE, true);
  }

  private TcpServer newServer() {
    return TcpServer.create()
        .runOn(group)
        .option(ChannelOption.SO_REUSEADDR, true)
        .childOption(ChannelOption.ALLOCATOR, buffers)
        .childOption(ChannelOption.TCP_NODELAY, true)
        .childOption(ChannelOption.RECVBUF_ALLOCATOR, READ_SIZES)
        .childOption(ChannelOption.SO_KEEPALIVE, true);
  }

  /**
   * Runs the loop; guarded by Reactor, and by BlockHound where it is installed, against blocking.
   */
  private static final class LoopThread extends FastThreadLocalThread implements NonBlocking {

    private final Runnable ended;

    LoopThread(Runnable task, String name, Runnable ended) {
      super(task, name);
      this.ended = ended;
      setDaemon(true);
    }

    @Override
    public void run() {
      try {
        super.run();
      } finally {
        ended.run();
      }
    }
  }
}
