package io.reactivetransfer.jfr;

import io.reactivetransfer.Peer;
import jdk.jfr.Label;
import jdk.jfr.Registered;

/** What is about one other engine. */
@Registered(false)
abstract class PeerEvent extends EngineEvent {

  @Label("Peer")
  String peer = "";

  @Label("Address of the Peer")
  String address = "";

  void of(Peer other) {
    of(other.engine());
    peer = other.id().toShortString();
    address = other.address().control().toString();
  }
}
