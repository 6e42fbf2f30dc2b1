package io.reactivetransfer.simulation;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.simulation.network.SimulatedNetwork;
import io.reactivetransfer.simulation.network.SimulatedProcess;
import io.reactivetransfer.simulation.network.VirtualScheduler;
import io.reactivetransfer.simulation.network.VirtualTime;
import io.reactivetransfer.simulation.network.Weather;
import io.reactivetransfer.spi.EngineEnvironment;
import io.reactivetransfer.spi.EngineIdentity;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** One process with one engine, whatever runs on it, and what is done to it from outside. */
public abstract class Host {

  private final int index;
  private final EngineId id;
  private final SimulatedProcess process;
  private final VirtualScheduler scheduler;
  private final VirtualTime time;
  private final SimulatedNetwork network;
  private final long patienceNanos;
  private boolean everOverdue;
  private long stoodStillNanos;
  private long goesOnNanos;
  private long stoppedNanos;

  /**
   * A process that runs, and has no engine yet.
   *
   * @param index which one of the run
   * @param place where its NICs are found
   * @param patienceNanos how long it may stand still, and nobody may give it up for that
   */
  protected Host(
      int index,
      int place,
      Hosts<?> hosts,
      Weather weather,
      long patienceNanos,
      SplittableRandom random) {
    this.index = index;
    this.time = hosts.time();
    this.network = hosts.network();
    this.patienceNanos = patienceNanos;
    this.id = new EngineId(random.nextLong(), index);
    this.process = new SimulatedProcess(place, time, weather, random.nextLong());
    this.scheduler = new VirtualScheduler(process);
  }

  // ---- what it is ----

  /** Which one of the run. */
  public int index() {
    return index;
  }

  /** Its engine's. */
  public EngineId id() {
    return id;
  }

  /** What it runs in. */
  public SimulatedProcess process() {
    return process;
  }

  /** Where its engine signals. */
  public VirtualScheduler scheduler() {
    return scheduler;
  }

  /** Its engine, once others may know its address. */
  public abstract @Nullable TransferEngine engine();

  /** Whether its engine is open and nothing was done to it. */
  public abstract boolean isUp();

  /** Whether it was killed. */
  public boolean isKilled() {
    return process.isKilled();
  }

  /** Whether it ever stood still for so long that others may have given it up, or it them. */
  public boolean wasOverdue() {
    return everOverdue;
  }

  /** When its process goes on, if it stands still. */
  public long goesOnNanos() {
    return goesOnNanos;
  }

  /** How long it stood still in all. */
  public long stoppedNanos() {
    return stoppedNanos;
  }

  /** What its engine takes its time and its name from. */
  protected EngineEnvironment environment() {
    return EngineEnvironment.builder()
        .nanoClock(time::nanos)
        .identities(() -> EngineIdentity.of(id))
        .build();
  }

  // ---- what is done to it ----

  /** Has one of its threads do something soon. */
  public void act(long delayNanos, Runnable action) {
    process.execute(action, delayNanos);
  }

  /** Closes its engine, if there is one. */
  public abstract void close();

  /** Stops its process. Stops that follow each other closely count as one. */
  public void stop(long nanos) {
    long now = time.nanos();
    boolean follows = goesOnNanos > 0 && now - goesOnNanos < patienceNanos;
    stoodStillNanos = follows ? stoodStillNanos + nanos : nanos;
    goesOnNanos = Math.max(goesOnNanos, now + nanos);
    stoppedNanos += nanos;
    everOverdue |= stoodStillNanos >= patienceNanos;
    process.stop();
    time.after(nanos, process::resume);
  }

  /** Kills its process, and all that its engine has opened. */
  public void kill() {
    process.kill();
    network.kill(id);
  }
}
