package io.reactivetransfer.engine.memory;

import io.reactivetransfer.Access;
import io.reactivetransfer.Memory;
import io.reactivetransfer.MemoryRegion;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.TransferRejectedException;
import io.reactivetransfer.engine.base.Admission;
import io.reactivetransfer.engine.base.AfterPoll;
import io.reactivetransfer.engine.base.Answer;
import io.reactivetransfer.engine.base.Closing;
import io.reactivetransfer.engine.base.Commands;
import io.reactivetransfer.engine.base.Counters;
import io.reactivetransfer.engine.base.Defects;
import io.reactivetransfer.engine.base.Nics;
import io.reactivetransfer.spi.Devices;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** The memory that one engine has registered. Belongs to the NIC thread. */
public final class Regions {

  private final PeerAddress owner;
  private final Nics nics;
  private final Devices devices;
  private final Revocations revocations;
  private final Commands commands;
  private final AfterPoll afterPoll;
  private final Closing closing;
  private final Counters counters;
  private final Defects defects;
  private final Set<RegisteredRegion> open = new LinkedHashSet<>();

  /**
   * None yet.
   *
   * @param owner the address of this engine
   * @param devices the accelerators that it reaches
   */
  public Regions(
      PeerAddress owner,
      Nics nics,
      Devices devices,
      Revocations revocations,
      Commands commands,
      AfterPoll afterPoll,
      Closing closing,
      Counters counters,
      Defects defects) {
    this.owner = owner;
    this.nics = nics;
    this.devices = devices;
    this.revocations = revocations;
    this.commands = commands;
    this.afterPoll = afterPoll;
    this.closing = closing;
    this.counters = counters;
    this.defects = defects;
  }

  /** Registers memory of the application. */
  public void register(Memory memory, Access access, Answer<MemoryRegion> answer) {
    assert commands.owner().isCurrent();
    if (closing.isBegun()) {
      answer.error(Admission.closedError());
    } else if (!answer.isOver()) {
      RegisteredRegion region = unregistered(memory, access);
      open.add(region);
      counters.add(Counters.OPEN_REGIONS, 1);
      counters.add(Counters.REGISTERED_BYTES, region.length());
      region.register(failure -> {
        if (failure == null) {
          commands.answer(answer, each -> published(region, each));
        } else {
          answer.error(failure);
        }
      });
    }
  }

  /** Whatever a NIC gave as its key, the answer comes. */
  private void published(RegisteredRegion region, Answer<MemoryRegion> answer) {
    region.publish();
    answer.success(region, () -> commands.execute(() -> region.closeNow(over -> {})));
  }

  /**
   * Memory that is to be registered, and is not in these books.
   *
   * @throws TransferRejectedException if it was freed, which its owner may do at any time
   */
  public RegisteredRegion unregistered(Memory memory, Access access) {
    return new RegisteredRegion(this, memory, access);
  }

  /** One of them is closed. */
  void closed(RegisteredRegion region) {
    assert commands.owner().isCurrent();
    if (open.remove(region)) {
      counters.add(Counters.OPEN_REGIONS, -1);
      counters.add(Counters.REGISTERED_BYTES, -region.length());
    }
  }

  /** Those that are open, as they are now. */
  public List<RegisteredRegion> all() {
    assert commands.owner().isCurrent();
    return List.copyOf(open);
  }

  /**
   * What a caller names, if it is of this engine. From any thread.
   *
   * @throws TransferRejectedException if it is not
   */
  public RegisteredRegion ours(MemoryRegion region) {
    if (!(region instanceof RegisteredRegion own) || !own.isOf(this)) {
      // What is not of ours is named by its class: this may be the NIC thread, which runs no such
      // code.
      boolean ours = region instanceof RegisteredRegion;
      throw new TransferRejectedException(
          "expected a source region of this engine, got a "
              + (ours ? region.toString() : region.getClass().getName())
              + " of another one");
    }
    return own;
  }

  /**
   * The same, if it is open, too.
   *
   * @throws TransferRejectedException if it is not
   */
  public RegisteredRegion own(MemoryRegion region) {
    RegisteredRegion own = ours(region);
    if (own.isClosed()) {
      throw new TransferRejectedException("expected an open source region, got a closed one");
    }
    return own;
  }

  public PeerAddress owner() {
    return owner;
  }

  public Nics nics() {
    return nics;
  }

  Devices devices() {
    return devices;
  }

  public Revocations revocations() {
    return revocations;
  }

  Commands commands() {
    return commands;
  }

  AfterPoll afterPoll() {
    return afterPoll;
  }

  Defects defects() {
    return defects;
  }
}
