package io.reactivetransfer;

/** Remote memory that has a length. */
record FakeRemote(long length) implements RemoteRegion {

  @Override
  public Peer peer() {
    return new FakePeer(1);
  }

  @Override
  public RegionDescriptor descriptor() {
    throw new IllegalStateException("not used");
  }
}
