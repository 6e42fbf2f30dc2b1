package io.reactivetransfer.tools.moe;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Nic;
import io.reactivetransfer.loopback.LoopbackBackend;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.WorkerLoop;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * The backend of one engine among others over loopback, until it is cut off: from then on its NIC
 * moves nothing and its control channel says nothing. So it can join a group in earnest, and then
 * go on as if all others were there.
 */
final class SilentBackend implements Backend {

  private final LoopbackBackend real;
  private final @Nullable StagedLoop loop;
  private @Nullable SilentDomain domain;
  private volatile boolean isCutOff;

  /**
   * Made by a measurement.
   *
   * @param loop where the engine's worker runs, or null for a thread of its own
   */
  SilentBackend(LoopbackBackend real, @Nullable StagedLoop loop) {
    this.real = real;
    this.loop = loop;
  }

  /**
   * Nothing moves from now on. In a turn of the engine.
   *
   * @return false if the NIC has writes that are not over: then all is as it was, and whoever asks
   *     asks again
   */
  boolean cutOff() {
    if (!nic().isQuiet()) {
      return false;
    }
    isCutOff = true;
    nic().cutOff();
    return true;
  }

  /** The only NIC. */
  SilentDomain nic() {
    SilentDomain opened = domain;
    if (opened == null) {
      throw new IllegalStateException("expected an engine that is open");
    }
    return opened;
  }

  @Override
  public String name() {
    return real.name();
  }

  @Override
  public Availability availability() {
    return real.availability();
  }

  @Override
  public List<Nic> nics() {
    return real.nics(1);
  }

  @Override
  public @Nullable WorkerLoop newLoop() {
    return loop;
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    return real.openControl(context).thenApply(Mute::new);
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    return real.open(nic, context)
        .thenApply(opened -> {
          SilentDomain made = new SilentDomain(opened);
          domain = made;
          return made;
        });
  }

  /** Says and hears nothing when it is cut off. */
  private final class Mute implements ControlChannel {
    private final ControlChannel channel;

    Mute(ControlChannel channel) {
      this.channel = channel;
    }

    @Override
    public HostPort address() {
      return channel.address();
    }

    @Override
    public int maxMessageBytes() {
      return channel.maxMessageBytes();
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      return isCutOff || channel.send(to, at, bytes);
    }

    @Override
    public void find(long token, HostPort at) {
      channel.find(token, at);
    }

    @Override
    public void disconnect(EngineId peer, String reason) {
      channel.disconnect(peer, reason);
    }

    @Override
    public int poll(ControlSink sink) {
      return isCutOff ? 0 : channel.poll(sink);
    }

    @Override
    public void close() {
      channel.close();
    }

    @Override
    public CompletionStage<Void> closed() {
      return channel.closed();
    }
  }
}
