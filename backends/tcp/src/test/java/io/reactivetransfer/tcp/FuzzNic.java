package io.reactivetransfer.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.control.ControlLoop;
import io.reactivetransfer.control.HandshakeLimits;
import io.reactivetransfer.control.socket.Admission;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import java.net.InetAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A NIC without sockets, on the test's own thread and with a clock of its own, next to the model of
 * it. A saboteur overrides one of its methods.
 */
class FuzzNic implements CompletionSink {

  static final int DEPTH = 64;
  private static final Pattern UNFIT = Pattern.compile("[\\p{C}\\p{Zl}\\p{Zp}]");
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(10);

  /** As often as it likes: a case takes no time. */
  static final HandshakeLimits LIMITS =
      new HandshakeLimits(
          HandshakeLimits.DEFAULTS.connections(),
          HandshakeLimits.DEFAULTS.halfOpen(),
          Integer.MAX_VALUE,
          Integer.MAX_VALUE);

  /** What all cases of one run have in common, because it costs more to make than a case. */
  static final class Shared {
    private final EmbeddedChannel clock = new EmbeddedChannel();
    private final Ground small = new Ground(16 << 10);
    private final Ground large =
        new Ground(780 << 10); // five regions of up to 110,000, and a source
    private final TrackedBuffers buffers = new TrackedBuffers();
    private TcpLoop loop = newLoop();
    private Input keys;

    Shared() {
      clock.freezeTime();
    }

    private TcpLoop newLoop() {
      return new TcpLoop(ControlLoop.on(clock.eventLoop()), this::key);
    }

    /** Leaves nothing behind of a case that failed: it may be run again. */
    private void begin(Input in) {
      keys = in;
      if (buffers.leaked() > 0 || loop.links().size() > 0) {
        loop = newLoop();
      }
    }

    private MemoryKey key() {
      return new MemoryKey(keys.anyLong(), keys.anyLong());
    }
  }

  final EngineId id;
  final TcpDomain domain;
  final NicModel model;
  final Ground ground;
  final TrackedBuffers buffers;
  private final Input in;
  private final EmbeddedChannel clock;
  private final TcpLoop loop;
  private final List<NicModel.Report> reports = new ArrayList<>();

  FuzzNic(Shared shared, Input in, boolean large) {
    this(shared, in, large, Devices.none());
  }

  /** One that reaches memory of accelerators. */
  FuzzNic(Shared shared, Input in, boolean large, Devices devices) {
    this(shared, in, large, devices, null);
  }

  /** One that listens only to those who have a session with its engine. */
  FuzzNic(
      Shared shared,
      Input in,
      boolean large,
      Devices devices,
      Authentication.@Nullable Sessions sessions) {
    shared.begin(in);
    this.in = in;
    clock = shared.clock;
    loop = shared.loop;
    buffers = shared.buffers;
    ground = large ? shared.large : shared.small;
    ground.reset();
    id = new EngineId(in.anyLong(), in.anyLong());
    domain =
        new TcpDomain(
            loop,
            OpenContext.builder(id, 0, () -> {})
                .loop(loop)
                .nicDepth(DEPTH)
                .devices(devices)
                .connectTimeout(CONNECT_TIMEOUT)
                .build(),
            new Authentication(() -> FuzzHandshake.HALF_A_NONCE, id, sessions),
            new Admission<>(
                LIMITS.connections(),
                LIMITS.halfOpen(),
                LIMITS.perSecond(),
                LIMITS.burst(),
                () -> 0),
            null);
    model = new NicModel(id, ground);
  }

  LocalMemory register(int at, int length, Access access) {
    return domain
        .register(new HostMemory(ground.segment(at, length)), access)
        .toCompletableFuture()
        .join();
  }

  LocalMemory revoke(LocalMemory memory) {
    return domain.revoke(memory).toCompletableFuture().join();
  }

  void deregister(LocalMemory memory) {
    domain.deregister(memory);
  }

  /** Another engine connects. */
  FuzzSocket connected(int readBytes) {
    AcceptedLink link = new AcceptedLink(domain);
    FuzzSocket socket = connect(readBytes, link);
    link.begin(InetAddress.getLoopbackAddress());
    return socket;
  }

  /** It connects to another engine. */
  FuzzSocket connecting(EngineId target, int index) {
    Path path = domain.path(new Path.Key(target, index));
    DialledLink link = new DialledLink(domain, path, new NicAddress("127.0.0.1", 1));
    path.dials(link);
    return connect(512, link);
  }

  private FuzzSocket connect(int readBytes, Link link) {
    return FuzzSocket.connect(
        buffers,
        readBytes,
        new ChannelOutboundHandlerAdapter() {
          @Override
          public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
            ByteBuf frames = (ByteBuf) msg;
            if (drops(frames)) {
              frames.release();
            } else {
              var _ = ctx.write(msg, promise);
            }
          }
        },
        link);
  }

  /** Whether a saboteur does not send these frames, which it may change. */
  boolean drops(ByteBuf frames) {
    return false;
  }

  /** The engine's turn: until nothing is left to report. What was posted before may go with it. */
  void poll() {
    if (in.chance(50)) {
      clock.runPendingTasks();
    }
    while (domain.poll(this) > 0) {
      // once more
    }
    clock.runPendingTasks();
    model.poll();
    model.check(reports);
  }

  /** What is to be sent when a turn is over is sent. */
  void endTurn() {
    clock.runPendingTasks();
  }

  void pass(long millis) {
    clock.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
    clock.runScheduledPendingTasks();
  }

  /** The time in which a handshake must be over. */
  void passConnectTimeout() {
    pass(CONNECT_TIMEOUT.toMillis() + 1);
  }

  /** What broke is remembered for as long as there is a session. */
  void sessionEnded(EngineId engine) {
    loop.sessionEnded(engine);
  }

  /** After the last connection has ended: nothing is left of any. */
  void close() {
    poll();
    domain.close();
    pass(1_000);
    if (loop.links().size() > 0) {
      throw new AssertionError("expected no connection to be remembered");
    }
    ground.check();
    int leaked = buffers.leaked();
    if (leaked > 0) {
      throw new AssertionError("expected all buffers to be released, got " + leaked + " leaks");
    }
  }

  @Override
  public void written(long token) {
    reports.add(new NicModel.Written(token));
  }

  @Override
  public void failed(long token, int code, String text) {
    requireText(text);
    reports.add(new NicModel.Failed(token, code));
  }

  @Override
  public void immArrived(int imm, long bytes) {
    reports.add(new NicModel.Arrived(imm, bytes));
  }

  @Override
  public void peerLost(EngineId peer, int code, String text) {
    requireText(text);
    reports.add(new NicModel.Lost(peer, code));
  }

  @Override
  public void nicFailed(int code, String text) {
    throw new AssertionError("the NIC failed: " + text);
  }

  private static void requireText(String text) {
    if (text.isBlank() || UNFIT.matcher(text).find()) {
      throw new AssertionError("expected a reason that can be shown, got '" + text + "'");
    }
  }
}
