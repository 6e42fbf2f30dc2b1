package io.reactivetransfer.simulation;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Memory;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.ControlSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.tck.ForwardingBackend;
import io.reactivetransfer.tck.ForwardingControl;
import io.reactivetransfer.tck.ForwardingControlSink;
import io.reactivetransfer.tck.ForwardingDomain;
import io.reactivetransfer.tck.ForwardingSink;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/** Has the n-th call of the SPI fail, over all NICs and control channels of a run. */
final class FailingCall {

  /** How it fails. */
  enum Way {
    /** As a refusal, or a {@link BackendException} where the contract knows no refusal. */
    REFUSES,

    /** As above, but what can be taken over is taken over, and then reported as failed. */
    FAILS_LATER,

    /** By an exception that no contract allows. */
    BREAKS
  }

  private final long failing;
  private final Way way;
  private long calls;

  /**
   * Made for one run.
   *
   * @param failing which call fails, from 1 on
   */
  FailingCall(long failing, Way way) {
    this.failing = failing;
    this.way = way;
  }

  @Override
  public String toString() {
    return "call " + failing + ", which " + way;
  }

  /** Whether there was such a call. */
  boolean hasFailed() {
    return calls >= failing;
  }

  Backend in(Backend sound) {
    return new ForwardingBackend(
        sound,
        (domain, context) -> {
          try {
            if (isIt()) {
              throw new BackendException(1, "the NIC cannot be opened");
            }
          } catch (RuntimeException e) {
            domain.close();
            throw e;
          }
          return new FailingDomain(domain, context);
        },
        (channel, context) -> {
          try {
            if (isIt()) {
              throw new BackendException(1, "the control channel cannot be opened");
            }
          } catch (RuntimeException e) {
            channel.close();
            throw e;
          }
          return new FailingControl(channel, context);
        });
  }

  private boolean isIt() {
    if (++calls != failing) {
      return false;
    }
    if (way == Way.BREAKS) {
      throw new IllegalStateException("the NIC broke down");
    }
    return true;
  }

  private final class FailingDomain extends ForwardingDomain {
    private final OpenContext context;
    private final List<Consumer<CompletionSink>> reports = new ArrayList<>();

    FailingDomain(Domain inner, OpenContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      if (isIt()) {
        throw new BackendException(12, "the NIC has no room for a registration");
      }
      return inner.register(memory, access);
    }

    @Override
    public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
      if (isIt()) {
        throw new BackendException(22, "the NIC does not understand the address");
      }
      return inner.resolve(engine, nic, address);
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      if (isIt()) {
        throw new BackendException(22, "the NIC does not understand the key");
      }
      return inner.resolve(peer, key, length);
    }

    @Override
    public PostResult post(Operation op) {
      if (!isIt()) {
        return inner.post(op);
      }
      long token = op.token();
      // It has not arrived, and the NIC says so: what it would have counted is not in doubt.
      return fails(sink -> sink.refused(token, 5, "the NIC reports an error"));
    }

    private PostResult fails(Consumer<CompletionSink> report) {
      context.doorbell().ring();
      if (way != Way.FAILS_LATER) {
        return PostResult.NIC_BUSY;
      }
      reports.add(report);
      return PostResult.TAKEN;
    }

    /** Breaks with whatever it has to report; a poll without anything is no chance to fail. */
    @Override
    public int poll(CompletionSink sink) {
      List<Consumer<CompletionSink>> due = List.copyOf(reports);
      reports.clear();
      due.forEach(report -> report.accept(sink));
      return due.size() + inner.poll(way == Way.BREAKS ? new BreakingSink(sink) : sink);
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
      isIt(); // throws, or goes well: the contract knows no other way
      return inner.revoke(memory);
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      isIt();
      return inner.disconnect(peer, reason);
    }

    @Override
    public CompletionStage<Void> deregister(LocalMemory memory) {
      isIt();
      now(inner.deregister(memory));
      return CompletableFuture.completedStage(null);
    }

    @Override
    public void close() {
      inner.close();
      isIt();
    }
  }

  private final class BreakingSink extends ForwardingSink {

    BreakingSink(CompletionSink inner) {
      super(inner);
    }

    @Override
    public void written(long token) {
      isIt();
      super.written(token);
    }

    @Override
    public void failed(long token, int code, String text) {
      isIt();
      super.failed(token, code, text);
    }

    @Override
    public void refused(long token, int code, String text) {
      isIt();
      super.refused(token, code, text);
    }

    @Override
    public void immArrived(int imm, long bytes) {
      isIt();
      super.immArrived(imm, bytes);
    }

    @Override
    public void immArrived(EngineId origin, int imm, long bytes) {
      isIt();
      super.immArrived(origin, imm, bytes);
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      isIt();
      super.peerLost(peer, code, text);
    }
  }

  private final class FailingControl extends ForwardingControl {
    private final ControlContext context;
    private final List<Consumer<ControlSink>> reports = new ArrayList<>();

    FailingControl(ControlChannel inner, ControlContext context) {
      super(inner);
      this.context = context;
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      if (!isIt()) {
        return inner.send(to, at, bytes);
      }
      context.doorbell().ring();
      if (way == Way.FAILS_LATER) {
        inner.disconnect(to, "a message was lost");
        reports.add(sink -> sink.peerLost(to, 104, "a message was lost"));
      }
      return way == Way.FAILS_LATER;
    }

    @Override
    public void find(long token, HostPort at) {
      if (isIt()) {
        context.doorbell().ring();
        reports.add(sink -> sink.notFound(token, 111, "nobody is there"));
      } else {
        inner.find(token, at);
      }
    }

    @Override
    public void disconnect(EngineId peer, String reason) {
      isIt();
      inner.disconnect(peer, reason);
    }

    @Override
    public int poll(ControlSink sink) {
      List<Consumer<ControlSink>> due = List.copyOf(reports);
      reports.clear();
      due.forEach(report -> report.accept(sink));
      return due.size() + inner.poll(way == Way.BREAKS ? new BreakingControlSink(sink) : sink);
    }

    @Override
    public void close() {
      inner.close();
      isIt();
    }
  }

  private final class BreakingControlSink extends ForwardingControlSink {

    BreakingControlSink(ControlSink inner) {
      super(inner);
    }

    @Override
    public void received(EngineId sender, ByteBuffer bytes) {
      isIt();
      super.received(sender, bytes);
    }

    @Override
    public void found(long token, EngineId peer) {
      isIt();
      super.found(token, peer);
    }

    @Override
    public void peerLost(EngineId peer, int code, String text) {
      isIt();
      super.peerLost(peer, code, text);
    }
  }
}
