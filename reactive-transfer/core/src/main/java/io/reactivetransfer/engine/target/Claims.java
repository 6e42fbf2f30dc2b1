package io.reactivetransfer.engine.target;

import io.reactivetransfer.Imm;
import io.reactivetransfer.ImmCounter;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.Closing;
import io.reactivetransfer.engine.base.Commands;
import io.reactivetransfer.engine.base.Deadlines;
import io.reactivetransfer.engine.base.SignalScheduler;
import io.reactivetransfer.engine.peers.Peers;
import io.reactivetransfer.spi.Devices;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * What all claims of one engine are given.
 *
 * @param imms where they wait
 * @param peers to which they can be bound
 * @param commands how each reaches the NIC thread
 * @param signals where each tells what became of it
 * @param admission how many there may be
 * @param closing what ends those that have no demand
 * @param devices reaches words of accelerators
 */
public record Claims(
    ImmTable imms,
    Peers peers,
    Commands commands,
    SignalScheduler signals,
    Admission admission,
    Closing closing,
    Devices devices) {

  /** The counter of one immediate. */
  public ImmCounter counter(Imm imm) {
    return counter(imm, () -> false);
  }

  /** The counter of one that is leased, and whether that is over. */
  ImmCounter counter(Imm imm, BooleanSupplier ended) {
    return new DefaultImmCounter(
        new ClaimTerms(this, imm.value(), List.of(), Deadlines.NONE, ended, null));
  }
}
