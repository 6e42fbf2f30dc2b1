package io.reactivetransfer.tools.perf;

import io.reactivetransfer.Device;

/** The reference of memory of a device: the same engines and operations with that of the host. */
final class HostReference implements ReferenceRuns {

  private final BothSides sides;
  private long size;

  HostReference(BothSides sides) {
    this.sides = sides;
  }

  @Override
  public void prepare(Layout layout) {
    size = layout.size();
  }

  /** Leaves both sides with memory of the host. */
  @Override
  public RunFigures run(long nanos) throws SideFailedException, InterruptedException {
    sides.prepare(size, Device.HOST);
    return sides.run(nanos);
  }

  @Override
  public void close() {
    // the sides are those of ours
  }
}
