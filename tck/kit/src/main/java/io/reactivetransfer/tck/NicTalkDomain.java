package io.reactivetransfer.tck;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.spi.CompletionSink;
import io.reactivetransfer.spi.Domain;
import io.reactivetransfer.spi.OpenContext;
import io.reactivetransfer.spi.RemotePeer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.IdentityHashMap;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One NIC that says what a {@link NicTalk} has for it, beside what it has to say itself, and keeps
 * what such NICs have said to it.
 */
final class NicTalkDomain extends ForwardingDomain {

  /** How such messages begin: those of NICs themselves begin otherwise. */
  static final byte[] MARK = "conformance kit:".getBytes(StandardCharsets.US_ASCII);

  private static final EngineId NOBODY = new EngineId(0, 0);

  private record Name(EngineId engine, int nic) {}

  private final OpenContext context;
  private final NicTalk talk;
  private final IdentityHashMap<RemotePeer, Name> names = new IdentityHashMap<>();
  private int spoken;

  NicTalkDomain(Domain inner, OpenContext context, NicTalk talk) {
    super(inner);
    this.context = context;
    this.talk = talk;
    talk.spoken(context.nicIndex(), 0);
  }

  @Override
  public RemotePeer resolve(EngineId engine, int nic, byte[] address) {
    RemotePeer peer = inner.resolve(engine, nic, address);
    names.put(peer, new Name(engine, nic));
    return peer;
  }

  @Override
  public void release(RemotePeer peer) {
    names.remove(peer);
    inner.release(peer);
  }

  @Override
  public int poll(CompletionSink sink) {
    int said = 0;
    for (NicTalk.Speech next = talk.speech(spoken); next != null; next = talk.speech(spoken)) {
      spoken++;
      said += say(next, sink);
      talk.spoken(context.nicIndex(), spoken);
    }
    return said + inner.poll(sink);
  }

  private int say(NicTalk.Speech speech, CompletionSink sink) {
    int said = 0;
    for (var each : names.entrySet()) {
      Name name = each.getValue();
      if (name.engine().equals(speech.peer())) {
        ByteBuffer text = speech.text().duplicate();
        ByteBuffer message = ByteBuffer.allocate(MARK.length + text.remaining());
        sink.toPeer(each.getKey(), message.put(MARK).put(text).flip());
        message.clear().put(MARK).put(new byte[message.remaining()]); // what was told was copied
        talk.said(
            new NicTalk.Word(context.engine(), context.nicIndex(), name.nic(), speech.text()));
        said++;
      }
    }
    return said;
  }

  @Override
  public void fromPeer(RemotePeer from, ByteBuffer message) {
    boolean marked =
        message.remaining() >= MARK.length
            && message.slice(message.position(), MARK.length).equals(ByteBuffer.wrap(MARK));
    if (marked) {
      byte[] text = new byte[message.remaining() - MARK.length];
      message.get(message.position() + MARK.length, text);
      hear(from, ByteBuffer.wrap(text));
    } else {
      inner.fromPeer(from, message);
    }
  }

  @Override
  public CompletionStage<Void> disconnect(RemotePeer peer, String reason) {
    hear(peer, null);
    return inner.disconnect(peer, reason);
  }

  private void hear(RemotePeer from, @Nullable ByteBuffer text) {
    Name name = names.get(from);
    EngineId speaker = name == null ? NOBODY : name.engine();
    int nic = name == null ? -1 : name.nic();
    talk.heard(new NicTalk.Word(speaker, nic, context.nicIndex(), text));
  }
}
