package io.reactivetransfer.simulation;

import io.reactivetransfer.Message;
import io.reactivetransfer.MessageChannel;
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
 * All messages of a run: between two engines they come once and in order on each channel, and all
 * that were taken over come, unless one of the two was lost to the other. A channel that nobody
 * reads holds up no other.
 */
final class Letters {

  private record Way(int from, int to, int channel) {}

  /** Channels that messages are sent on; nobody reads the last one before the end of the run. */
  static final int CHANNELS = 3;

  private static final int MAX_PADDING = 40;

  /** One in so many is as long as may be, perhaps. */
  private static final int LONG_ONES = 8;

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
    int channel = random.nextInt(CHANNELS);
    List<SendProbe> letters =
        sent.computeIfAbsent(new Way(from.index(), to.index(), channel), way -> new ArrayList<>());
    int most = engine.options().maxMessageBytes() - 2 * Integer.BYTES;
    int padding = random.nextInt(random.nextInt(LONG_ONES) == 0 ? most : MAX_PADDING);
    ByteBuffer bytes = ByteBuffer.allocate(2 * Integer.BYTES + padding);
    bytes.putInt(to.index()).putInt(letters.size()).clear();
    SendProbe probe = new SendProbe(from, to);
    letters.add(probe);
    engine.send(engine.peer(target.address()), new MessageChannel(channel), bytes).subscribe(probe);
    return probe;
  }

  /** One was read. */
  void read(Node at, int channel, Message message) {
    Node from =
        world.nodes().stream()
            .filter(it -> it.id().equals(message.sender().id()))
            .findFirst()
            .orElseThrow();
    ByteBuffer bytes = message.bytes();
    if (world.forecast().weather().duplicate() > 0 && bytes.getInt(0) != at.index()) {
      return; // a part that came twice is taken for a message: channels promise once
    }
    world.referee().require(bytes.getInt() == at.index(), at + " got a message of another one");
    int number = bytes.getInt();
    Way way = new Way(from.index(), at.index(), channel);
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
    private final int channel;

    ReadProbe(Node node, int channel, long demand) {
      super(node, "read", false, demand);
      this.channel = channel;
    }

    @Override
    void next(Message message) {
      node.world().letters().read(node, channel, message);
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
