package io.reactivetransfer.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** See {@link EngineEvents#peerFound}. */
@Name("io.reactivetransfer.PeerFound")
@Label("Peer Found")
@Description("A peer has greeted, and can be written to.")
@Registered
final class PeerFoundEvent extends PeerEvent {}
