package io.reactivetransfer.libfabric;

/** The endpoints for writes: where others write, and through which this side does. */
interface Links {

  /**
   * Opens a place for others to write to.
   *
   * @throws io.reactivetransfer.spi.BackendException if that is not possible
   */
  Landing listen();

  /**
   * Lets a peer write there, and gives what it must be told for that.
   *
   * @return for {@link #connect}; good for this peer alone where the provider can tell peers apart
   */
  byte[] admit(FabricPeer peer, Landing landing);

  /**
   * Closes it. When it returns, nothing that comes in there is written any more.
   *
   * @throws io.reactivetransfer.spi.BackendException if the provider refuses; nobody new can write
   *     there then, and it may be tried again
   */
  void close(Landing landing);

  /**
   * The way to a peer's landing; it may take some polls until it is ready.
   *
   * @param name what the peer has told of it
   * @throws io.reactivetransfer.spi.BackendException if there can be none
   */
  Initiator connect(FabricPeer peer, byte[] name);

  /**
   * Ends all ways to a peer, and lets it in no more where that is possible. An initiator is closed
   * when its endpoint is, from which on nothing is read any more that was out through it: at once,
   * or with one of the next {@link OpenFabric#closeAgain()}.
   */
  void disconnect(FabricPeer peer, int code, String text);

  /** The same for a peer to which nothing is out, and without harm to what is out to others. */
  void release(FabricPeer peer);

  /**
   * Lets go of a way through which nothing is out and nothing is written any more. To the same
   * landing there may be another one later.
   */
  void forget(Initiator way);

  /** Whether {@link #disconnect} also ends what comes in from the peer. */
  boolean fencesLostPeers();

  /**
   * Whether the first write to a peer makes the connection, through an endpoint that is for this
   * peer alone: where it cannot, the way may be lost, and nobody else is harmed.
   */
  boolean connectsInWrites();

  /** Makes connections progress; returns how many changed. */
  int poll();

  /** What to wait for besides the queue of completions; below 0 if there is nothing. */
  int descriptor();

  /** Whether it must be polled, or one may wait for the descriptors. */
  boolean mayWait();

  /** Closes what the provider lets be closed at once; the rest is closed with the fabric. */
  void close();
}
