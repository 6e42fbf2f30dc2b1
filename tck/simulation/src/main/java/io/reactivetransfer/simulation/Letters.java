package io.reactivetransfer.simulation;

import io.reactivetransfer.Message;
import io.reactivetransfer.PeerUnreachableException;
import io.reactivetransfer.TransferEngine;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * All messages of a run: between two engines they come once and in order, and all that were taken
 * over come, unless one of the two was lost to the other.
 */
final class Letters {

  private record Way(int from, int to) {}

  private static final int MAX_PADDING = 40;

  private final World world;
  private final Map<Way, List<SendProbe>> sent = new LinkedHashMap<>();
  private final Map<Way, Integer> lastRead = new LinkedHashMap<>();

  Letters(World world) {
    this.world = world;
  }

  /** Sends one. */
  SendProbe send(Node from, TransferEngine engine, Node to, SplittableRandom random) {
    TransferEngine target = to.engine();
    if (target == null) {
      throw new IllegalStateException(to + " is not open yet");
    }
    List<SendProbe> letters =
        sent.computeIfAbsent(new Way(from.index(), to.index()), way -> new ArrayList<>());
    ByteBuffer bytes = ByteBuffer.allocate(2 * Integer.BYTES + random.nextInt(MAX_PADDING));
    bytes.putInt(to.index()).putInt(letters.size()).clear();
    SendProbe probe = new SendProbe(from, to);
    letters.add(probe);
    engine.send(engine.peer(target.address()), bytes).subscribe(probe);
    return probe;
  }

  /** One was read. */
  void read(Node at, Message message) {
    Node from =
        world.nodes().stream()
            .filter(it -> it.id().equals(message.sender().id()))
            .findFirst()
            .orElseThrow();
    ByteBuffer bytes = message.bytes();
    world.referee().require(bytes.getInt() == at.index(), at + " got a message of another one");
    int number = bytes.getInt();
    Way way = new Way(from.index(), at.index());
    List<SendProbe> letters = sent.getOrDefault(way, List.of());
    world.referee().require(number < letters.size(), at + " got a message that nobody sent");
    SendProbe letter = letters.get(number);
    world.referee().require(!letter.failed, letter + " failed, and the message was read");
    letter.read = true;
    int last = lastRead.getOrDefault(way, -1);
    boolean duplicates = world.forecast().weather().duplicate() > 0;
    world
        .referee()
        .require(
            number > last || duplicates,
            at + " got message " + number + " of " + from + " after " + last);
    lastRead.put(way, number);
  }

  /** At the end, when everything was read that can be. */
  void checkAllRead() {
    if (world.forecast().weather().duplicate() > 0) {
      return;
    }
    for (List<SendProbe> letters : sent.values()) {
      for (SendProbe letter : letters) {
        world
            .referee()
            .require(
                letter.read || !letter.done || world.isDisturbed(letter.node, letter.to),
                letter + " completed, and the message was never read");
      }
    }
  }

  /** Who sends. */
  static final class SendProbe extends Probe<Void> {
    private final Node to;
    private boolean done;
    private boolean failed;
    private boolean read;

    SendProbe(Node from, Node to) {
      super(from, "send", true);
      this.to = to;
    }

    @Override
    void end(@Nullable Throwable error) {
      done = error == null;
      failed = !done;
      boolean justified =
          done
              || node.isClosing()
              || node.world().isForgiving()
              || (error instanceof PeerUnreachableException && node.world().isDisturbed(node, to));
      node.world().referee().require(justified, this + " failed for no reason: " + error);
      node.world().referee().require(!failed || !read, this + " failed, and the message was read");
    }
  }

  /** Who reads. */
  static final class ReadProbe extends Probe<Message> {
    ReadProbe(Node node, long demand) {
      super(node, "read", false, demand);
    }

    @Override
    void next(Message message) {
      node.world().letters().read(node, message);
    }

    @Override
    void end(@Nullable Throwable error) {
      node.world()
          .referee()
          .require(
              node.isClosing()
                  || node.world().isForgiving()
                  || (error != null && node.mayRefuse(error)),
              this + " ended: " + error);
    }
  }
}
