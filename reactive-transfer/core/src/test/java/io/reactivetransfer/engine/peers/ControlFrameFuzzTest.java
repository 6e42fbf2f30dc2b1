package io.reactivetransfer.engine.peers;

import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.Imm;
import io.reactivetransfer.Message;
import io.reactivetransfer.Peer;
import io.reactivetransfer.PeerAddress;
import io.reactivetransfer.engine.EngineByHand;
import io.reactivetransfer.engine.base.Probe;
import io.reactivetransfer.fuzz.Fuzz;
import io.reactivetransfer.fuzz.Input;
import io.reactivetransfer.fuzz.Mutation;
import io.reactivetransfer.fuzz.Target;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Whatever other engines say: it changes nothing for those who speak properly, and everything that
 * anybody waits for ends once.
 */
@Timeout(7_200)
class ControlFrameFuzzTest {

  private static final int FRIEND = 9;
  private static final int CREDITS = 16;

  @Test
  void hostilePeers() {
    Fuzz.run(Target.CONTROL_FRAMES, in -> run(in, UnaryOperator.identity()));
  }

  /** An engine that is told something by the friend that the friend did not say. */
  @Test
  void findsADefect() {
    OptionalLong found =
        Fuzz.firstFailure(
            Target.CONTROL_FRAMES,
            1,
            0,
            2_000,
            in -> run(in, sender -> in.chance(10) ? friendId() : sender));
    assertThat(found).isPresent();
  }

  private static EngineId friendId() {
    return EngineByHand.addressOf(FRIEND).engine();
  }

  private static void run(Input in, UnaryOperator<EngineId> sender) throws Exception {
    EngineByHand hand = new EngineByHand();
    hand.open(in.between(1, 2), options -> options.messageCredits(CREDITS).maxUnclaimedImms(8));
    Friend friend = new Friend(hand);
    for (int peer = in.below(3); peer > 0; peer--) {
      receive(hand, hand.address(peer).engine(), hand.hello(peer));
    }
    if (in.chance(50)) {
      hand.probe(hand.engine().send(hand.peer(1), ByteBuffer.allocate(3)));
      hand.probe(hand.engine().counter(new Imm(5)).next(1));
    }
    for (int steps = in.between(1, 25); steps > 0; steps--) {
      EngineId id = sender.apply(hand.address(in.below(4)).engine());
      byte[] frame = frame(in, hand);
      in.note(() -> id.toShortString() + " says " + HexFormat.of().formatHex(frame));
      hand.control().receive(id, ByteBuffer.wrap(frame));
      if (in.chance(50)) {
        hand.turn();
      }
      if (in.chance(10)) {
        hand.advance(Duration.ofMillis(in.below(3_000)));
      }
      if (in.chance(10)) {
        friend.speaks();
      }
    }
    friend.speaks();
    friend.listens();
    hand.end();
  }

  private static void receive(EngineByHand hand, EngineId sender, ByteBuffer frame) {
    hand.control().receive(sender, frame);
    hand.turn();
  }

  private static byte[] frame(Input in, EngineByHand hand) {
    PeerAddress address = hand.address(in.below(4));
    ByteBuffer frame =
        switch (in.below(16)) {
          case 0, 1 -> hello(in, address);
          case 2 -> messagePart(in);
          case 3 ->
              ControlFrame.credit(
                  small(in, 12), small(in, 40) - 2, (int) in.edge(), (int) in.edge());
          case 4 -> ControlFrame.ask();
          case 5 -> ControlFrame.alive();
          case 6 -> abort(in);
          case 7 -> barrier(in);
          case 8 -> ControlFrame.aborted(in.chance(50) ? in.below(20) : (int) in.edge());
          case 9 -> ControlFrame.cleared(in.below(12), in.chance(50) ? in.below(20) : in.below(3));
          case 10 -> dismissal(in);
          case 11 ->
              ControlFrame.nicMessage(
                  small(in, 3), small(in, 3), ByteBuffer.wrap(in.bytes(in.below(20))));
          case 12 -> aboutRegion(in);
          case 13 -> ControlFrame.fence(small(in, 3), small(in, 3));
          case 14 -> ControlFrame.fenced(small(in, 3), small(in, 3));
          default -> ControlFrame.nicsFailed(in.below(256));
        };
    byte[] bytes = new byte[frame.remaining()];
    frame.get(bytes);
    return in.chance(50) ? Mutation.some(in, bytes) : bytes;
  }

  /** Of one that there is, or was, or never was. */
  private static ByteBuffer aboutRegion(Input in) {
    long region = in.chance(80) ? in.below(4) : in.edge();
    return switch (in.below(3)) {
      case 0 -> ControlFrame.uses(region);
      case 1 -> ControlFrame.revoke(region);
      default -> ControlFrame.stopped(region);
    };
  }

  private static ByteBuffer abort(Input in) {
    int imm = in.chance(50) ? in.below(12) : (int) in.edge();
    long shares = in.chance(50) ? in.below(2_000) : in.edge();
    int seq = in.chance(80) ? in.below(60) : (int) in.edge();
    return ControlFrame.abort(new AbortFrame(seq, imm, shares, in.below(32), text(in)), 0);
  }

  /** Of any length, whatever this engine itself would say. */
  private static ByteBuffer dismissal(Input in) {
    byte[] reason = text(in).repeat(in.chance(50) ? 1 : 100).getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(1 + reason.length).put(ControlFrame.DISMISSAL).put(reason).flip();
  }

  private static String text(Input in) {
    int[] unfit = {0x1b, '\n', 0x7f, 0x85, 0x9b, 0x200b, 0x2028, 0x2029, 0x202e, 0xd800, 0xe0041};
    return in.chance(50)
        ? "because"
        : "because"
            + Character.toString(
                in.chance(90) ? unfit[in.below(unfit.length)] : in.below(0x110000));
  }

  private static int small(Input in, int bound) {
    return in.chance(50) ? in.below(bound) : (int) in.edge();
  }

  /** Of any channel, and with any number of bytes left behind it. */
  private static ByteBuffer messagePart(Input in) {
    ByteBuffer content = ByteBuffer.wrap(in.bytes(in.below(20)));
    ByteBuffer part = ControlFrame.message(small(in, 40) - 2, content);
    return in.chance(60) ? part : part.putInt(2, in.chance(50) ? in.below(40) : (int) in.edge());
  }

  private static ByteBuffer hello(Input in, PeerAddress address) {
    List<PeerNic> nics = EngineByHand.nics(1, in.between(1, in.chance(90) ? 2 : 8));
    return new Greeting(small(in, 4), small(in, 12), Math.max(1, small(in, 20)), address, nics)
        .toFrame();
  }

  private static ByteBuffer barrier(Input in) {
    EngineId group = new EngineId(in.below(2), in.below(2));
    return ControlFrame.barrier(group, small(in, 12), small(in, 3), small(in, 3));
  }

  /** A peer that keeps to the rules, and messages with it. */
  private static final class Friend {
    private final EngineByHand hand;
    private final Peer peer;
    private final Probe<Message> messages;
    private int said;

    Friend(EngineByHand hand) {
      this.hand = hand;
      this.peer = hand.peer(FRIEND);
      messages = hand.probe(hand.engine().messages());
      receive(hand, peer.id(), hand.hello(FRIEND));
    }

    /** Its messages come, in order. */
    void speaks() {
      said++;
      ByteBuffer text = ByteBuffer.allocate(4).putInt(said).flip();
      receive(hand, peer.id(), ControlFrame.message(0, text));
      List<Integer> heard =
          messages.items().stream()
              .filter(message -> message.sender().equals(peer))
              .map(message -> message.bytes().getInt(0))
              .toList();
      if (heard.size() != said || heard.getLast() != said) {
        throw new AssertionError("expected " + said + " messages of it in order, got " + heard);
      }
    }

    /** What it is told, it is told. */
    void listens() {
      receive(hand, peer.id(), hand.credit(FRIEND, 1));
      Probe<Void> sending = hand.probe(hand.engine().send(peer, ByteBuffer.allocate(1)));
      hand.turn();
      sending.assertComplete();
    }
  }
}
