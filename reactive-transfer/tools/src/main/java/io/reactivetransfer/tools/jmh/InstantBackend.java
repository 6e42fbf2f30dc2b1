package io.reactivetransfer.tools.jmh;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.Memory;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Capabilities;
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
import io.reactivetransfer.spi.WorkerLoop;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * NICs that move nothing and complete every write at the next poll: what is left to measure is the
 * engine.
 */
final class InstantBackend implements Backend {

  private static final int DEPTH = 1 << 12;

  private final @Nullable WorkerLoop loop;

  /**
   * Made by a benchmark.
   *
   * @param loop where the engine's worker runs, or null for a thread of its own
   */
  InstantBackend(@Nullable WorkerLoop loop) {
    this.loop = loop;
  }

  @Override
  public String name() {
    return "instant";
  }

  @Override
  public Availability availability() {
    return Availability.available();
  }

  @Override
  public List<Nic> nics() {
    return nics(1);
  }

  @Override
  public List<Nic> nics(int count) {
    return IntStream.range(0, count).mapToObj(i -> Nic.named("instant" + i)).toList();
  }

  @Override
  public @Nullable WorkerLoop newLoop() {
    return loop;
  }

  @Override
  public CompletionStage<ControlChannel> openControl(ControlContext context) {
    return CompletableFuture.completedFuture(new Echo(context));
  }

  @Override
  public CompletionStage<Domain> open(Nic nic, OpenContext context) {
    return CompletableFuture.completedFuture(new InstantDomain(context.engine()));
  }

  private record Handle(EngineId engine) implements LocalMemory, RemotePeer, RemoteMemory {
    @Override
    public byte[] key() {
      return new byte[] {1};
    }
  }

  /** What an engine says to itself, such as its greeting, it hears at the next poll. */
  private static final class Echo implements ControlChannel {
    private final ControlContext context;
    private final Queue<ByteBuffer> said = new ArrayDeque<>();

    Echo(ControlContext context) {
      this.context = context;
    }

    @Override
    public HostPort address() {
      return new HostPort("here", 1);
    }

    @Override
    public int maxMessageBytes() {
      return context.maxMessageBytes();
    }

    @Override
    public boolean send(EngineId to, HostPort at, ByteBuffer bytes) {
      return said.add(ByteBuffer.allocate(bytes.remaining()).put(bytes.duplicate()).flip());
    }

    @Override
    public void find(long token, HostPort at) {
      throw new UnsupportedOperationException("nobody else is there");
    }

    @Override
    public void disconnect(EngineId peer, String reason) {}

    @Override
    public int poll(ControlSink sink) {
      int frames = said.size();
      for (int i = 0; i < frames; i++) {
        sink.received(context.identity().id(), said.remove());
      }
      return frames;
    }

    @Override
    public void close() {}
  }

  /**
   * Remembers the tokens of one turn in a ring. The only peer that is ever written to is the engine
   * itself.
   */
  private static final class InstantDomain implements Domain {
    private final EngineId self;
    private final long[] tokens = new long[DEPTH];
    private int head;
    private int tail;

    InstantDomain(EngineId self) {
      this.self = self;
    }

    @Override
    public Capabilities capabilities() {
      return Capabilities.builder(1L << 30, DEPTH)
          .completion(CompletionLevel.DELIVERED)
          .fencesLostPeers(true)
          .build();
    }

    @Override
    public byte[] address() {
      return new byte[] {1};
    }

    @Override
    public CompletionStage<LocalMemory> register(Memory memory, Access access) {
      return CompletableFuture.completedStage(new Handle(self));
    }

    @Override
    public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
      return CompletableFuture.completedStage(memory);
    }

    @Override
    public CompletionStage<Void> deregister(LocalMemory memory) {
      return CompletableFuture.completedStage(null);
    }

    @Override
    public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
      return new Handle(self);
    }

    @Override
    public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
      return new Handle(self);
    }

    @Override
    public PostResult post(Operation op) {
      if (tail - head == DEPTH) {
        return PostResult.NIC_BUSY;
      }
      tokens[tail++ & DEPTH - 1] = op.token();
      return PostResult.TAKEN;
    }

    @Override
    public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
      return CompletableFuture.completedStage(null);
    }

    @Override
    public int poll(CompletionSink sink) {
      int found = tail - head;
      while (head != tail) {
        sink.written(tokens[head++ & DEPTH - 1]);
      }
      return found;
    }

    @Override
    public void close() {}
  }
}
