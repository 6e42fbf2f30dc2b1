package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Device;
import io.reactivetransfer.tools.process.Connection;
import io.reactivetransfer.tools.process.HostPort;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Another host, where a {@link Listening} command is: a target there for each plan that it is
 * given, one after the other, and answers to what it is asked meanwhile.
 */
public final class HostSide extends AskedSide implements AutoCloseable {

  private static final Duration UNTIL_GONE = Duration.ofSeconds(12);
  private static final Pattern UNPRINTABLE = Pattern.compile("[\\p{Cntrl}&&[^\t]]");
  private static final long PROBE_BYTES = 1 << 20;
  private static final int PROBE_OUTSTANDING = 16;

  private final HostPort address;
  private final Connection connection;
  private volatile CountDownLatch gone = new CountDownLatch(0);
  private volatile boolean over;
  private volatile @Nullable String ending;

  private HostSide(HostPort address, Connection connection) {
    super("target", done -> {});
    this.address = address;
    this.connection = connection;
  }

  /**
   * Connects to it.
   *
   * @throws IOException if nobody listens there, or another version; says what to do
   */
  public static HostSide connect(HostPort address) throws IOException {
    HostSide side = new HostSide(address, Connection.connect(address));
    side.connection.listen(side);
    return side;
  }

  /** The address of this host on the way to the other one. */
  public String localHost() {
    return connection.localHost();
  }

  /** The address of the other host. */
  public String remoteHost() {
    return connection.remoteHost();
  }

  /** Has it start a target for this plan, and waits until its engine is open. */
  void begin(Plan plan) throws SideFailedException, InterruptedException {
    awaitEnd();
    forget();
    gone = new CountDownLatch(1);
    if (over) {
      throw new SideFailedException(String.valueOf(ending()), null);
    }
    expect(plan);
    ending = null;
    tell(Listening.PLAN + " " + String.join(Listening.SEPARATOR, plan.toArguments()));
    awaitReady();
  }

  @Override
  void tell(String line) {
    connection.tell(line);
  }

  @Override
  void awaitEnd() throws InterruptedException {
    if (!over) {
      var _ = gone.await(UNTIL_GONE.toMillis(), TimeUnit.MILLISECONDS);
    }
  }

  @Override
  @Nullable String ending() {
    return over ? "the connection to " + address + " ended: the other side is gone" : ending;
  }

  @Override
  String place() {
    return "at " + address;
  }

  /** The target there is ended; the connection stays, for another plan. */
  @Override
  void destroy() {
    if (gone.getCount() > 0) {
      tell(Listening.ABANDON);
    }
  }

  @Override
  public void line(String said) {
    String line = UNPRINTABLE.matcher(said).replaceAll("?"); // it may reach a terminal
    boolean last = Role.word(line).equals(GONE);
    if (last) {
      ending = "at " + address + ": " + line.substring(GONE.length()).strip();
    }
    super.line(line);
    if (last) {
      gone.countDown();
    }
  }

  @Override
  public void ended() {
    over = true;
    super.ended();
    gone.countDown();
  }

  /** Says goodbye: the command there ends, too. */
  @Override
  public void close() {
    tell(Listening.LEAVE);
    connection.close();
  }

  /**
   * What a write of 8 bytes there and one back take with this backend, with its default NICs.
   *
   * @param seconds how long it measures; half of that before, to warm up
   * @throws SideFailedException if the two sides do not connect, or either failed
   */
  public RoundTrip roundTrip(String backend, double seconds)
      throws IOException, SideFailedException, InterruptedException {
    Result.Medians medians = measure(backend, Op.PING_PONG, 8, seconds).ours();
    return new RoundTrip(medians.p50Micros(), medians.p99Micros());
  }

  /**
   * What writes of 1 MiB come to in a second, one way, with the same.
   *
   * @param seconds how long it measures; half of that before, to warm up
   * @throws SideFailedException if the two sides do not connect, or either failed
   */
  public double bytesPerSecond(String backend, double seconds)
      throws IOException, SideFailedException, InterruptedException {
    return measure(backend, Op.WRITE_IMM, PROBE_BYTES, seconds).bytesPerSecond();
  }

  private Result measure(String backend, Op op, long size, double seconds)
      throws IOException, SideFailedException, InterruptedException {
    Plan plan =
        new Plan(
            backend,
            null,
            Plan.Place.TWO_HOSTS,
            null,
            op,
            List.of(size),
            1,
            1,
            op == Op.PING_PONG ? 1 : PROBE_OUTSTANDING,
            0,
            1,
            Device.HOST,
            seconds,
            seconds / 2,
            false,
            1,
            false,
            false,
            Signals.NIC,
            false);
    Progress nobody = new Progress(new PrintWriter(Writer.nullWriter()), plan);
    return measure(plan, nobody).getFirst();
  }

  /**
   * Measures between the two hosts, with the origin in a process here.
   *
   * @throws SideFailedException if either side failed, or is gone
   */
  List<Result> measure(Plan plan, Progress progress)
      throws IOException, SideFailedException, InterruptedException {
    begin(plan);
    return TwoProcesses.measure(plan, startOrigin(plan, progress), this, progress);
  }

  private ChildSide startOrigin(Plan plan, Progress progress) throws IOException {
    try {
      return ChildSide.start(PerfCommand.Side.ORIGIN, plan.at(localHost()), progress::operations);
    } catch (IOException | RuntimeException e) {
      destroy();
      throw e;
    }
  }
}
