package io.reactivetransfer.tck.process;

import io.reactivetransfer.Access;
import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostMemory;
import io.reactivetransfer.spi.BackendException;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.LocalMemory;
import io.reactivetransfer.spi.Operation;
import io.reactivetransfer.spi.PostResult;
import io.reactivetransfer.spi.RemoteMemory;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;

/** A NIC of this process that serves the other one: does what the one ring says. */
final class ServedNic implements CompletionSink {

  private static final int BATCH = 256;
  private static final int MAX_POLLS = 100;

  private record To(int handle, EngineId engine, RemotePeer peer) {}

  private record Into(To to, RemoteMemory memory) {}

  private record Post(LocalMemory source, Into target, long token, ByteBuffer rest) {}

  private final Domain nic;
  private final SharedMemory memory;
  private final Ring requests;
  private final Ring reports;
  private final Map<Integer, LocalMemory> locals = new HashMap<>();
  private final Map<Integer, To> peers = new HashMap<>();
  private final IdentityHashMap<RemotePeer, Integer> handles = new IdentityHashMap<>();
  private final Map<Integer, Into> remotes = new HashMap<>();
  private final Map<EngineId, Integer> losses = new HashMap<>();
  private final List<Post> posts = new ArrayList<>();
  private final Queue<ByteBuffer> unreported = new ArrayDeque<>();
  private final Operation op = new Operation();
  private boolean closed;

  ServedNic(Domain nic, SharedMemory memory, int index) {
    this.nic = nic;
    this.memory = memory;
    this.requests = memory.requests(index);
    this.reports = memory.reports(index);
  }

  /** Whether it is closed, and who has asked for that can know. */
  boolean isClosed() {
    return closed && unreported.isEmpty();
  }

  /** Takes requests, tries again what was refused, polls; returns how much there was to do. */
  int turn() {
    int work = 0;
    ByteBuffer request;
    while (work < BATCH && !closed && (request = requests.poll()) != null) {
      work++;
      handle(Kind.of(request), request);
    }
    if (closed) {
      return work + reportAgain();
    }
    int waiting = posts.size();
    posts.removeIf(this::post);
    if (posts.size() < waiting) {
      nic.flush();
    }
    work += waiting - posts.size() + reportAgain();
    return unreported.isEmpty() ? work + nic.poll(this) : work;
  }

  /** Reports that there was no room for; returns how many there is room for now. */
  private int reportAgain() {
    int reported = 0;
    while (!unreported.isEmpty() && reports.offer(unreported.element())) {
      unreported.remove();
      reported++;
    }
    return reported;
  }

  private void handle(Kind kind, ByteBuffer in) {
    switch (kind) {
      case POST -> {
        LocalMemory source = get(locals, in.getInt());
        Into target = get(remotes, in.getInt());
        int known = in.getInt();
        Post post = new Post(source, target, in.getLong(), in.slice());
        if (known == lossesOf(target.to())) {
          posts.add(post);
        } else {
          failed(post.token(), 0, "accepted before its peer was lost");
        }
      }
      default -> {
        try {
          byte[] result = call(kind, in);
          give(Kind.DONE.begin().put(result));
        } catch (BackendException e) {
          give(
              Kind.REFUSED.begin().putInt(e.code()).put(Kind.text(String.valueOf(e.getMessage()))));
        }
      }
    }
  }

  /** What is asked by who does not know yet of a loss was accepted before it, and is over. */
  private int lossesOf(To to) {
    return losses.getOrDefault(to.engine(), 0);
  }

  private byte[] call(Kind kind, ByteBuffer in) {
    byte[] nothing = {};
    switch (kind) {
      case REGISTER -> {
        int handle = in.getInt();
        HostMemory host = new HostMemory(memory.at(in.getLong(), in.getLong()));
        Access access = in.get() == 1 ? Access.REMOTE_WRITE : Access.LOCAL;
        LocalMemory local = done(nic.register(host, access));
        locals.put(handle, local);
        return local.key();
      }
      case REVOKE -> {
        LocalMemory local = done(nic.revoke(get(locals, in.getInt())));
        locals.put(in.getInt(), local);
        tellAll();
        return local.key();
      }
      case DEREGISTER -> {
        done(nic.deregister(get(locals, in.getInt())));
        tellAll();
      }
      case PEER -> {
        int handle = in.getInt();
        EngineId engine = new EngineId(in.getLong(), in.getLong());
        RemotePeer peer = nic.resolve(engine, in.getInt(), Kind.rest(in));
        peers.put(handle, new To(handle, engine, peer));
        handles.put(peer, handle);
      }
      case MEMORY -> {
        int handle = in.getInt();
        To to = get(peers, in.getInt());
        long length = in.getLong();
        remotes.put(handle, new Into(to, nic.resolve(to.peer(), Kind.rest(in), length)));
      }
      case DISCONNECT -> {
        To to = get(peers, in.getInt());
        int number = in.getInt();
        String reason = Kind.text(in);
        var _ =
            nic.disconnect(to.peer(), reason)
                .thenRun(() -> give(Kind.FENCED.begin().putInt(number)));
        drop(to.engine(), 0, reason);
      }
      case RELEASE -> {
        To to = get(peers, in.getInt());
        nic.release(to.peer());
        handles.remove(to.peer());
        peers.remove(to.handle());
      }
      case RELEASE_MEMORY -> {
        int handle = in.getInt();
        nic.release(get(remotes, handle).memory());
        remotes.remove(handle);
      }
      case FROM_PEER -> nic.fromPeer(get(peers, in.getInt()).peer(), in.slice());
      case CLOSE -> {
        nic.close();
        closed = true;
        unreported.clear();
      }
      default -> throw new IllegalStateException("not a request: " + kind);
    }
    return nothing;
  }

  /** Waits for what the NIC was asked, by polling it. */
  private <T> T done(CompletionStage<T> stage) {
    CompletableFuture<T> result = stage.toCompletableFuture();
    while (!result.isDone()) {
      nic.poll(this);
    }
    try {
      return result.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof BackendException refusal ? refusal : e;
    }
  }

  /**
   * What had come before is reported before the answer: an engine signals the end of a revocation
   * behind its next poll.
   */
  private void tellAll() {
    for (int i = 0; i < MAX_POLLS && nic.poll(this) > 0; i++) {}
  }

  private static <T> T get(Map<Integer, T> all, int handle) {
    T found = all.get(handle);
    if (found == null) {
      throw new BackendException(0, "unknown handle " + handle);
    }
    return found;
  }

  private boolean post(Post post) {
    ByteBuffer in = post.rest().duplicate();
    op.between(post.source(), post.target().memory())
        .range(in.getLong(), in.getLong(), in.getLong())
        .inRows(in.getInt(), in.getLong(), in.getLong())
        .token(post.token());
    boolean hasImm = in.get() == 1;
    int imm = in.getInt();
    if (in.hasRemaining()) {
      int[] listed = new int[op.rows()];
      in.asIntBuffer().get(listed);
      op.gathering(listed, 0, op.rows(), op.localStride(), op.remoteStride());
    }
    return nic.post(hasImm ? op.withImm(imm) : op.withoutImm()) == PostResult.TAKEN;
  }

  /** What the NIC has not taken yet is lost, too, with its peer. */
  private void drop(EngineId engine, int code, String text) {
    posts.removeIf(post -> {
      boolean lost = post.target().to().engine().equals(engine);
      if (lost) {
        failed(post.token(), code, text);
      }
      return lost;
    });
  }

  private void give(ByteBuffer report) {
    report.flip();
    if (!unreported.isEmpty() || !reports.offer(report)) {
      unreported.add(report);
    }
  }

  @Override
  public void written(long token) {
    give(Kind.WRITTEN.begin().putLong(token));
  }

  @Override
  public void failed(long token, int code, String text) {
    give(Kind.FAILED.begin().putLong(token).putInt(code).put(Kind.text(text)));
  }

  @Override
  public void refused(long token, int code, String text) {
    give(Kind.WRITE_REFUSED.begin().putLong(token).putInt(code).put(Kind.text(text)));
  }

  @Override
  public void immArrived(int imm, long bytes) {
    give(Kind.ARRIVED.begin().putInt(imm).putLong(bytes));
  }

  @Override
  public void immArrived(EngineId origin, int imm, long bytes) {
    give(
        Kind.ARRIVED
            .begin()
            .putInt(imm)
            .putLong(bytes)
            .putLong(origin.high())
            .putLong(origin.low()));
  }

  private static ByteBuffer about(Kind kind, EngineId engine) {
    return kind.begin().putLong(engine.high()).putLong(engine.low());
  }

  @Override
  public void toPeer(RemotePeer peer, ByteBuffer message) {
    Integer handle = handles.get(peer);
    if (handle != null) {
      give(Kind.TO_PEER.begin().putInt(handle).put(message.duplicate()));
    }
  }

  @Override
  public void peerLost(EngineId peer, int code, String text) {
    losses.merge(peer, 1, Integer::sum);
    give(about(Kind.LOST, peer).putInt(code).put(Kind.text(text)));
    drop(peer, code, text);
  }

  @Override
  public void nicFailed(int code, String text) {
    give(Kind.BROKEN.begin().putInt(code).put(Kind.text(text)));
  }
}
