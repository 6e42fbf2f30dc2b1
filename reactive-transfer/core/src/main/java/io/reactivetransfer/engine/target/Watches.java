package io.reactivetransfer.engine.target;

import io.reactivetransfer.Change;
import io.reactivetransfer.Memory;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Closing;
import io.reactivetransfer.engine.base.Commands;
import io.reactivetransfer.engine.base.SignalScheduler;
import io.reactivetransfer.spi.Devices;
import java.util.ArrayList;
import java.util.List;
import reactor.core.publisher.Flux;

/** The words that one engine looks at in every turn. Belongs to the NIC thread. */
public final class Watches {

  /** A thread that does not poll for its NICs' sake looks at them so often. */
  public static final long LOOK_NANOS = 20_000;

  private final Commands commands;
  private final SignalScheduler signals;
  private final Admission admission;
  private final Closing closing;
  private final Devices devices;
  private final List<WatchFlux.Watch> all = new ArrayList<>();

  public Watches(
      Commands commands,
      SignalScheduler signals,
      Admission admission,
      Closing closing,
      Devices devices) {
    this.commands = commands;
    this.signals = signals;
    this.admission = admission;
    this.closing = closing;
    this.devices = devices;
  }

  /** What becomes of a word of 8 bytes, once for each subscription. From any thread. */
  public Flux<Change> of(Memory word) {
    WatchedWord.requireWord(word);
    return new WatchFlux(this, word);
  }

  WatchedWord reader(Memory word) {
    return WatchedWord.of(word, devices);
  }

  /** Looks after a word from now on. */
  void add(WatchFlux.Watch watch) {
    assert commands.owner().isCurrent();
    if (closing.isBegun()) {
      watch.end(Admission.closedError());
    } else {
      all.add(watch);
    }
  }

  public boolean isEmpty() {
    return all.isEmpty();
  }

  /** Looks at all. */
  public void look() {
    if (!all.isEmpty()) {
      all.removeIf(watch -> !watch.look());
    }
  }

  /** Ends all. */
  public void close(RuntimeException reason) {
    assert commands.owner().isCurrent();
    all.forEach(watch -> watch.end(reason));
    all.clear();
  }

  Commands commands() {
    return commands;
  }

  SignalScheduler signals() {
    return signals;
  }

  Admission admission() {
    return admission;
  }
}
