package io.reactivetransfer.engine;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.EngineRecorder;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.AfterPoll;
import io.reactivetransfer.engine.base.Closing;
import io.reactivetransfer.engine.base.Commands;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.engine.base.NearNics;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.base.Owner;
import io.reactivetransfer.engine.base.SignalScheduler;
import io.reactivetransfer.engine.base.Timers;
import io.reactivetransfer.engine.memory.Regions;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.engine.origin.Outbound;
import io.reactivetransfer.engine.origin.StreamRecording;
import io.reactivetransfer.engine.origin.Streams;
import io.reactivetransfer.engine.origin.Submissions;
import io.reactivetransfer.engine.peers.Liveness;
import io.reactivetransfer.engine.peers.PeerLink;
import io.reactivetransfer.engine.peers.Peers;
import io.reactivetransfer.engine.target.Claims;
import io.reactivetransfer.engine.target.ImmTable;
import io.reactivetransfer.engine.target.Inbound;
import io.reactivetransfer.spi.Devices;
import io.reactivetransfer.spi.EngineEnvironment;
import java.lang.foreign.Arena;
import java.util.List;
import reactor.core.scheduler.Scheduler;
import reactor.core.scheduler.Schedulers;

/** Parts of an engine without NICs and without a thread, each for the tests of it alone. */
public final class TestParts {

  private final Owner owner = new Owner();
  public final Counters counters = new Counters(owner);
  private final Closing closing = new Closing(owner);
  public final Defects defects = new Defects(new EngineId(9, 9), EngineRecorder.NONE);
  public final Timers timers = new Timers(() -> 0, owner);
  private final Nics nics = new Nics(List.of(), near(), List.of(), defects);
  private final SignalScheduler signals;
  public final Commands commands;
  private final Peers peers;

  /** Signals come at once. */
  public TestParts() {
    this(Schedulers.immediate());
  }

  public TestParts(Scheduler scheduler) {
    this.signals = new SignalScheduler(scheduler, defects);
    this.commands = new Commands(owner, signals, defects, () -> {});
    Submissions submissions = new Submissions(owner, closing);
    this.peers =
        new Peers(
            new PeerAddress("scripted", new EngineId(9, 9), new HostPort("here", 7400)),
            nics,
            timers,
            commands,
            signals,
            closing,
            link ->
                new Outbound(
                    link, submissions, timers, nics, EngineOptions.defaults().livenessDeadline()),
            link -> new Inbound());
  }

  private static NearNics near() {
    EngineEnvironment nothing = EngineEnvironment.builder().build();
    return NearNics.of(new AbsentBackend(), List.of(), EngineOptions.defaults(), nothing);
  }

  public PeerLink peer(PeerAddress address) {
    return peers.of(address);
  }

  public ImmTable imms(int maxUnclaimed) {
    EngineOptions options = EngineOptions.defaults();
    Liveness liveness =
        new Liveness(peers, null, options.livenessDeadline(), options.connectTimeout());
    return new ImmTable(
        peers, liveness, new AfterPoll(() -> 0), defects, counters, maxUnclaimed, 3);
  }

  public Claims claims(ImmTable imms) {
    return new Claims(imms, peers, commands, signals, new Admission(10), closing, Devices.none());
  }

  /** A region of this engine; no NIC knows it. */
  public RegisteredRegion region() {
    Regions regions =
        new Regions(
            peers.ownAddress(),
            nics,
            Devices.none(),
            null,
            commands,
            null,
            closing,
            counters,
            defects);
    return regions.unregistered(new HostMemory(Arena.ofAuto().allocate(64)), Access.LOCAL);
  }

  public Streams streams() {
    return new Streams(
        new Submissions(owner, closing),
        null,
        null,
        commands,
        signals,
        new Admission(10),
        counters,
        new StreamRecording(defects.recording(), timers));
  }
}
