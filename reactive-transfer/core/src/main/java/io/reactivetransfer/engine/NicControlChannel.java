package io.reactivetransfer.engine;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.Base64;

/**
 * The control channel of backends whose NICs carry messages: the first NIC that has not failed.
 * What comes is reported by the NICs.
 */
final class NicControlChannel implements ControlChannel {

  private static final int PORT = 1;

  private final Worker worker;
  private final NicGroup nics;

  NicControlChannel(Worker worker, NicGroup nics) {
    this.worker = worker;
    this.nics = nics;
  }

  @Override
  public HostPort address() {
    byte[] address = nics.domains()[0].address();
    return new HostPort(Base64.getUrlEncoder().withoutPadding().encodeToString(address), PORT);
  }

  @Override
  public int maxMessageBytes() {
    return nics.maxControlBytes();
  }

  @Override
  public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
    PeerLink peer = worker.peers().find(to);
    int nic = nics.first();
    RemotePeer remote = peer != null && peer.isResolved() ? peer.remote(nic) : resolve(nic, to, at);
    return nics.domains()[nic].send(remote, bytes);
  }

  private RemotePeer resolve(int nic, EngineId to, HostPort at) {
    try {
      return nics.domains()[nic].resolve(to, Base64.getUrlDecoder().decode(at.host()));
    } catch (IllegalArgumentException e) {
      throw new BackendException(0, "expected the address of a NIC, got " + at, e);
    }
  }

  @Override
  public void find(long token, HostPort at) {
    throw new BackendException(0, "expected a whole PeerAddress: this backend needs its id");
  }

  @Override
  public void disconnect(EngineId peer, String reason) {
    // the NICs give it up
  }

  @Override
  public int poll(ControlSink sink) {
    return 0;
  }

  @Override
  public void close() {
    // the NICs are closed
  }
}
