package io.reactivetransfer.examples.howto;

import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import io.reactivetransfer.engine.TransferEngineBuilder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Questions and answers: small messages, each whole, once and in order. */
public final class SendMessages {

  public static void main(String[] args) {
    TransferEngine asking = TransferEngineBuilder.create().backend("tcp").open().block();
    TransferEngine answering = TransferEngineBuilder.create().backend("tcp").open().block();

    // Takes one message after the other: who asks faster than that waits for credit.
    answering
        .messages()
        .concatMap(
            question -> answering.send(question.sender(), bytes(text(question.bytes()) + "!")))
        .subscribe();

    Peer peer = asking.peer(answering.address());
    List<String> questions = List.of("one", "two", "three");
    Mono<Void> asked =
        Flux.fromIterable(questions).concatMap(q -> asking.send(peer, bytes(q))).then();
    Mono<List<String>> answers =
        asking.messages().map(answer -> text(answer.bytes())).take(3).collectList();
    List<String> heard = Mono.zip(answers, asked.thenReturn(true)).block().getT1();

    if (!heard.equals(List.of("one!", "two!", "three!"))) {
      throw new IllegalStateException("expected each answer in order, got " + heard);
    }
    System.out.println("The answers are " + String.join(" ", heard));
    asking.close().then(answering.close()).block();
  }

  private static ByteBuffer bytes(String text) {
    return StandardCharsets.UTF_8.encode(text);
  }

  private static String text(ByteBuffer bytes) {
    return StandardCharsets.UTF_8.decode(bytes).toString();
  }
}
