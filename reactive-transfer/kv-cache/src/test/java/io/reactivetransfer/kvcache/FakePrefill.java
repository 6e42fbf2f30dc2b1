package io.reactivetransfer.kvcache;

import static io.reactivetransfer.kvcache.TestNode.PATIENCE;
import static io.reactivetransfer.kvcache.TestNode.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.reactivetransfer.Message;
import io.reactivetransfer.RemoteRegion;
import io.reactivetransfer.WriteImm;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedTransferQueue;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Subscription;
import reactor.core.publisher.BaseSubscriber;

/** A prefill node that says what the test wants it to say, once it has told its layout. */
final class FakePrefill {

  private final TestNode node;
  private final TestNode decode;
  private final BlockingQueue<KvMessage> messages = new LinkedTransferQueue<>();

  /** Takes requests only when it is told to. */
  final BaseSubscriber<Message> requests =
      new BaseSubscriber<>() {
        @Override
        protected void hookOnSubscribe(Subscription subscription) {
          // by hand
        }

        @Override
        protected void hookOnNext(Message message) {
          messages.add(KvCodec.decode(message.bytes()));
        }
      };

  FakePrefill(TestNode node, TestNode decode) {
    this.node = node;
    this.decode = decode;
    node.engine.messages(KvInbox.REQUESTS).subscribe(requests);
    node.engine.messages(KvInbox.URGENT).subscribe(this::urgent);
  }

  private void urgent(Message message) {
    KvMessage it = KvCodec.decode(message.bytes());
    if (it instanceof KvMessage.Describe question) {
      KvMessage answer =
          new KvMessage.Description(question.id(), "a fake", question.model(), node.layout);
      node.engine.send(message.sender(), KvInbox.ANSWERS, KvCodec.encode(answer)).subscribe();
    } else {
      messages.add(it);
    }
  }

  /** Takes all requests. */
  FakePrefill takingAll() {
    requests.requestUnbounded();
    return this;
  }

  /** The next request or cancel. */
  KvMessage next() throws InterruptedException {
    KvMessage message = messages.poll(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(message).isNotNull();
    return message;
  }

  /** The next request, whatever cancels come before it. */
  KvMessage.Request nextRequest() throws InterruptedException {
    KvMessage message = next();
    while (!(message instanceof KvMessage.Request)) {
      message = next();
    }
    return (KvMessage.Request) message;
  }

  void say(KvMessage message) {
    node.engine
        .send(decode.seenFrom(node), KvInbox.ANSWERS, KvCodec.encode(message))
        .block(PATIENCE);
  }

  /** Writes the first page so often. */
  void write(KvMessage.Request request, int times) {
    RemoteRegion target = node.engine.remote(request.target().regions().getFirst());
    long length = node.page(0, 0).byteSize();
    for (int i = 0; i < times; i++) {
      await(
          node.engine.submit(
              WriteImm.of(
                  node.memory.page(0, 0, i), target.slice(0, length), request.imms().base())));
    }
  }
}
