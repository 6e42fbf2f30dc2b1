package io.reactivetransfer.jfr;

import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.Registered;

/** See {@link EngineEvents#revocationOverdue}. */
@Name("io.reactivetransfer.RevocationOverdue")
@Label("Revocation Overdue")
@Description(
    "A peer that writes to a region has not stopped within the grace: its key is ended under it.")
@Registered
final class RevocationOverdueEvent extends PeerEvent {}
