package io.reactivetransfer.engine;

import io.reactivetransfer.Access;
import io.reactivetransfer.CompletionLevel;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.Memory;
import io.reactivetransfer.Nic;
import io.reactivetransfer.spi.Availability;
import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.spi.Capabilities;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.ControlChannel;
import io.reactivetransfer.spi.ControlContext;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import io.reactivetransfer.spi.WorkerLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

/** A NIC that refuses, fails, loses its way to peers and takes its time, as a seed says. */
final class ChaosNic implements Domain {

  /** How often things go wrong, in a thousand. */
  record Chances(int refuse, int fail, int lose) {}

  private record Peer(EngineId id) implements RemotePeer {}

  private record Target(EngineId peer) implements RemoteMemory {}

  private record Flying(long token, EngineId peer) {}

  private final Random random;
  private final Chances chances;
  private final OpenContext context;
  private final List<Flying> flying = new ArrayList<>();
  private final List<Flying> cut = new ArrayList<>();
  private final Queue<String> violations;
  private boolean closed;

  /** Immediates that arrive here; from any thread. */
  final Queue<Integer> arriving = new ConcurrentLinkedQueue<>();

  private ChaosNic(long seed, Chances chances, OpenContext context, Queue<String> violations) {
    this.random = new Random(seed);
    this.chances = chances;
    this.context = context;
    this.violations = violations;
  }

  /** Opens as many as are wanted, on a thread of the engine's. */
  static final class ChaosBackend implements Backend {
    final Queue<String> violations = new ConcurrentLinkedQueue<>();
    final List<ChaosNic> opened = new ArrayList<>();
    private final long seed;
    private final Chances chances;

    ChaosBackend(long seed, Chances chances) {
      this.seed = seed;
      this.chances = chances;
    }

    @Override
    public String name() {
      return ScriptedBackend.NAME;
    }

    @Override
    public Availability availability() {
      return Availability.available();
    }

    @Override
    public List<Nic> nics() {
      return IntStream.range(0, 2).mapToObj(i -> Nic.named("chaos" + i)).toList();
    }

    @Override
    public WorkerLoop newLoop() {
      return null;
    }

    @Override
    public CompletionStage<ControlChannel> openControl(ControlContext context) {
      return CompletableFuture.completedStage(
          new ChaosControl(seed - 1, chances, context, violations));
    }

    @Override
    public CompletionStage<Domain> open(Nic nic, OpenContext context) {
      ChaosNic opening = new ChaosNic(seed + context.nicIndex(), chances, context, violations);
      opened.add(opening);
      return CompletableFuture.completedStage(opening);
    }
  }

  private boolean chance(int inThousand) {
    return random.nextInt(1_000) < inThousand;
  }

  private void called() {
    if (closed) {
      violations.add("called after close");
    }
  }

  @Override
  public Capabilities capabilities() {
    return Capabilities.builder(1_000, 32)
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
    called();
    return CompletableFuture.completedStage(() -> new byte[] {1});
  }

  @Override
  public CompletionStage<LocalMemory> revoke(LocalMemory memory) {
    called();
    return CompletableFuture.completedStage(() -> new byte[] {2});
  }

  @Override
  public CompletionStage<Void> deregister(LocalMemory memory) {
    called();
    return CompletableFuture.completedStage(null);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    called();
    return new Peer(engine);
  }

  @Override
  public RemoteMemory resolve(RemotePeer peer, byte[] key, long length) {
    called();
    return new Target(((Peer) peer).id());
  }

  @Override
  public PostResult post(Operation op) {
    called();
    if (flying.size() >= Math.min(32, context.nicDepth())) {
      violations.add("more than " + flying.size() + " in flight");
    }
    if (chance(chances.refuse())) {
      context.doorbell().ring();
      return PostResult.NIC_BUSY;
    }
    flying.add(new Flying(op.token(), ((Target) op.remote()).peer()));
    return PostResult.TAKEN;
  }

  /** What the poll after it reports, as a connection that was cut would. */
  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    called();
    for (Flying one : List.copyOf(flying)) {
      if (one.peer().equals(((Peer) peer).id())) {
        flying.remove(one);
        cut.add(one);
      }
    }
    return CompletableFuture.completedStage(null);
  }

  @Override
  public int poll(CompletionSink sink) {
    called();
    int count = cut.size();
    cut.forEach(one -> sink.failed(one.token(), 0, "disconnected"));
    cut.clear();
    Integer imm;
    while ((imm = arriving.poll()) != null) {
      sink.immArrived(imm, 0);
      count++;
    }
    if (!flying.isEmpty() && chance(chances.lose())) {
      EngineId lost = flying.get(random.nextInt(flying.size())).peer();
      sink.peerLost(lost, 1, "chaos");
      for (Flying one : List.copyOf(flying)) {
        if (one.peer().equals(lost)) {
          flying.remove(one);
          sink.failed(one.token(), 1, "chaos");
        }
      }
      count++;
    }
    for (int i = flying.size(); i > 0; i--) {
      if (random.nextBoolean()) {
        Flying one = flying.remove(random.nextInt(flying.size()));
        if (chance(chances.fail())) {
          sink.failed(one.token(), 2, "chaos");
        } else {
          sink.written(one.token());
        }
        count++;
      }
    }
    return count;
  }

  @Override
  public void close() {
    called();
    closed = true;
  }
}
