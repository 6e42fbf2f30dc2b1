package io.reactivetransfer.engine;

import io.reactivetransfer.EngineOptions;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.engine.memory.Regions;
import io.reactivetransfer.engine.memory.RegisteredRegion;
import io.reactivetransfer.engine.memory.Revocations;
import io.reactivetransfer.engine.origin.DeadlineSweep;
import io.reactivetransfer.engine.origin.FlightControl;
import io.reactivetransfer.engine.origin.FlightTable;
import io.reactivetransfer.engine.origin.Launch;
import io.reactivetransfer.engine.origin.NicGroup;
import io.reactivetransfer.engine.origin.Outbound;
import io.reactivetransfer.engine.origin.Ownership;
import io.reactivetransfer.engine.origin.StreamRecording;
import io.reactivetransfer.engine.origin.Streams;
import io.reactivetransfer.engine.origin.Submissions;
import io.reactivetransfer.engine.peers.Barriers;
import io.reactivetransfer.engine.peers.Control;
import io.reactivetransfer.engine.peers.ControlEvents;
import io.reactivetransfer.engine.peers.ControlFrame;
import io.reactivetransfer.engine.peers.IncomingMessages;
import io.reactivetransfer.engine.peers.Liveness;
import io.reactivetransfer.engine.peers.Mailroom;
import io.reactivetransfer.engine.peers.NicFailures;
import io.reactivetransfer.engine.peers.NicMessages;
import io.reactivetransfer.engine.peers.OutgoingMessages;
import io.reactivetransfer.engine.peers.PeerNic;
import io.reactivetransfer.engine.peers.Peers;
import io.reactivetransfer.engine.peers.Reception;
import io.reactivetransfer.engine.peers.RecordedPeers;
import io.reactivetransfer.engine.target.Claims;
import io.reactivetransfer.engine.target.HeardAborts;
import io.reactivetransfer.engine.target.ImmLeases;
import io.reactivetransfer.engine.target.ImmTable;
import io.reactivetransfer.engine.target.Inbound;
import io.reactivetransfer.engine.target.Watches;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.Devices;
import java.util.List;

/**
 * Makes the parts of an engine, the lower ones first, and gives each what it needs. Only the turn
 * knows all of them.
 */
final class Parts {

  // memory, as far as it is needed for the doorbell
  final Nics nics;
  final Regions regions;

  // peers
  final Peers peers;
  final Control control;
  final ControlEvents controlEvents;
  final Liveness liveness;
  final OutgoingMessages outgoing;
  final IncomingMessages incoming;
  final Mailroom mailroom;
  final Barriers barriers;

  // origin
  final Submissions submissions;
  final NicGroup posting;
  final FlightControl flights;
  final Ownership ownership;
  final Streams streams;

  // target
  final ImmTable imms;
  final Claims claims;
  final ImmLeases leases;
  final Watches watches;

  final Completions completions;

  Parts(
      Worker worker,
      ControlChannel channel,
      Regions regions,
      RegisteredRegion doorbell,
      List<PeerNic> ownNics,
      Devices devices) {
    EngineOptions options = worker.options();
    this.nics = regions.nics();
    this.regions = regions;
    this.submissions = worker.submissions();
    this.peers =
        new Peers(
            regions.owner(),
            nics,
            worker.timers(),
            worker.commands(),
            worker.signals(),
            worker.closing(),
            link ->
                new Outbound(link, submissions, worker.timers(), nics, options.livenessDeadline()),
            link -> new Inbound());
    this.control = new Control(channel, peers, worker.defects());
    this.liveness =
        new Liveness(peers, control, options.livenessDeadline(), options.connectTimeout());
    this.outgoing = new OutgoingMessages(options, worker.commands());
    this.incoming =
        new IncomingMessages(
            options, worker.commands(), peers, liveness, worker.signals(), worker.admission());
    this.mailroom =
        new Mailroom(
            peers, control, liveness, outgoing, incoming, ownNics, options.maxMessageBytes());
    Reception reception = new Reception(peers, liveness, worker.defects());
    this.controlEvents = new ControlEvents(control, peers, reception, worker.shutdown()::begin);
    this.barriers = new Barriers(peers, liveness, worker.defects());
    NicMessages nicMessages = new NicMessages(peers, worker.defects());
    NicFailures nicFailures =
        new NicFailures(
            peers, worker.defects().recording(), worker.afterPoll(), worker.shutdown()::begin);

    this.posting = new NicGroup(nics, options, worker.counters());
    this.ownership = new Ownership(peers, regions);
    FlightTable table = new FlightTable();
    this.flights =
        new FlightControl(table, posting, nics, submissions, ownership, doorbell, worker.defects());
    DeadlineSweep sweep =
        new DeadlineSweep(flights, table, worker.timers(), options.livenessDeadline());
    Launch launch =
        new Launch(
            table,
            posting,
            ownership,
            flights,
            sweep,
            doorbell,
            nics,
            worker.timers(),
            worker.counters(),
            worker.afterPoll());
    this.streams =
        new Streams(
            submissions,
            launch,
            flights,
            worker.commands(),
            worker.signals(),
            worker.admission(),
            worker.counters(),
            new StreamRecording(worker.defects().recording(), worker.timers()));

    this.imms =
        new ImmTable(
            peers,
            liveness,
            worker.afterPoll(),
            worker.defects(),
            worker.counters(),
            options.maxUnclaimedImms(),
            worker.tableSeed());
    this.claims =
        new Claims(
            imms,
            peers,
            worker.commands(),
            worker.signals(),
            worker.admission(),
            worker.closing(),
            devices);
    this.leases = new ImmLeases(claims);
    this.watches =
        new Watches(
            worker.commands(), worker.signals(), worker.admission(), worker.closing(), devices);

    this.completions = new Completions(nics, peers, flights, imms, nicMessages, nicFailures);
    Revocations revocations = regions.revocations();
    peers.tell(
        mailroom,
        incoming,
        flights,
        imms,
        barriers,
        revocations,
        new RecordedPeers(worker.defects().recording()));
    reception.on(ControlFrame.CREDIT, outgoing::credited);
    reception.on(ControlFrame.MESSAGE, incoming);
    reception.on(ControlFrame.ABORT, new HeardAborts(imms));
    reception.on(ControlFrame.ABORTED, launch::acknowledged);
    reception.on(ControlFrame.CLEARED, flights::cleared);
    reception.on(ControlFrame.BARRIER, barriers::received);
    reception.on(ControlFrame.NICS_FAILED, nicFailures::received);
    reception.on(ControlFrame.NIC_MESSAGE, nicMessages::received);
    reception.on(ControlFrame.USES, revocations::uses);
    reception.on(ControlFrame.REVOKE, flights::revoked);
    reception.on(ControlFrame.STOPPED, revocations::stopped);
  }
}
