package io.reactivetransfer.moe;

import io.reactivetransfer.Message;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Takes what is said about an earlier epoch of a group for said about the last one that this engine
 * has joined, as a rank would that looks at the name of a group only.
 */
final class EarlierEpochs {

  private final Map<String, GroupEpoch> last = new ConcurrentHashMap<>();

  /** A message of this engine: who joins an epoch says so to the others. */
  void sent(ByteBuffer message) {
    if (MoeCodec.decode(message.duplicate()) instanceof MoeMessage.Join join) {
      last.merge(join.group().name(), join.group(), (a, b) -> a.epoch() > b.epoch() ? a : b);
    }
  }

  /** A message of another one, as this engine takes it. */
  Message taken(Message message) {
    MoeMessage said = MoeCodec.decode(message.bytes().duplicate());
    GroupEpoch joined = last.get(said.group().name());
    if (joined == null || joined.epoch() <= said.group().epoch()) {
      return message;
    }
    MoeMessage about =
        switch (said) {
          case MoeMessage.Join join -> join;
          case MoeMessage.GiveUp giveUp ->
              new MoeMessage.GiveUp(joined, giveUp.blamed(), MoeMessage.NOT_HEARD, giveUp.why());
          case MoeMessage.Leave leave -> new MoeMessage.Leave(joined, leave.steps());
          case MoeMessage.Ask ask -> new MoeMessage.Ask(joined, ask.lane());
          case MoeMessage.Tell tell -> new MoeMessage.Tell(joined, tell.lane(), tell.progress());
        };
    return new Message(message.sender(), MoeCodec.encode(about));
  }
}
