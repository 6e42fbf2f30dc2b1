package io.reactivetransfer.simulation.kvcache;

import io.reactivetransfer.MessageChannel;
import io.reactivetransfer.Peer;
import io.reactivetransfer.TransferEngine;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;
import java.util.zip.CRC32C;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Messages as no node of ours says them: made here byte by byte, by what is written of them. They
 * must not concern anybody else.
 */
final class Stranger {

  private static final MessageChannel REQUESTS = new MessageChannel(16);
  private static final MessageChannel ANSWERS = new MessageChannel(17);
  private static final MessageChannel URGENT = new MessageChannel(18);

  private static final byte VERSION = 4;
  private static final byte ANOTHER_VERSION = 2;
  private static final byte DESCRIBE = 1;
  private static final byte REQUEST = 3;
  private static final byte CANCEL = 4;
  private static final byte END = 5;

  /** Outcomes: cancelled, failed, its time was over. */
  private static final byte[] EARLY_ENDS = {2, 3, 5};

  /** No order of a run has a number like this. */
  private static final long NOBODYS = 1L << 40;

  private static final int MOST_AT_ONCE = 100;
  private static final int ROOM = 64;

  private Stranger() {}

  /** Cancels in bulk, questions, and what cannot be read. */
  static Mono<Void> bother(TransferEngine from, Peer to, SplittableRandom random) {
    int many = random.nextInt(1, MOST_AT_ONCE);
    long first = NOBODYS + random.nextInt(MOST_AT_ONCE);
    return switch (random.nextInt(5)) {
      case 0 -> send(from, to, URGENT, many, at -> message(VERSION, CANCEL, first + at));
      case 1 ->
          send(
              from,
              to,
              URGENT,
              1,
              at -> name(name(message(VERSION, DESCRIBE, -first), "stranger"), "no model"));
      case 2 -> send(from, to, URGENT, 1, at -> message(ANOTHER_VERSION, CANCEL, first));
      case 3 -> send(from, to, REQUESTS, 1, at -> message(VERSION, REQUEST, first));
      default -> send(from, to, ANSWERS, many, at -> end(1 + at, random));
    };
  }

  /** An end that says it is counted more often than was asked for. */
  static Mono<Void> end(TransferEngine from, Peer to, long id, SplittableRandom random) {
    return from.send(to, ANSWERS, sealed(end(id, random)));
  }

  /** The same in another version. */
  static Mono<Void> endOfOtherVersion(
      TransferEngine from, Peer to, long id, SplittableRandom random) {
    return from.send(to, ANSWERS, sealed(end(id, random).put(0, ANOTHER_VERSION)));
  }

  private static ByteBuffer end(long id, SplittableRandom random) {
    byte outcome = EARLY_ENDS[random.nextInt(EARLY_ENDS.length)];
    long[] absurd = {-1, Long.MAX_VALUE, Integer.MAX_VALUE, NOBODYS};
    byte[] text = "so it is".getBytes(StandardCharsets.UTF_8);
    return message(VERSION, END, id)
        .put(outcome)
        .put((byte) 0) // not quiet
        .putLong(absurd[random.nextInt(absurd.length)])
        .putInt(text.length)
        .put(text);
  }

  private interface Message {
    ByteBuffer number(int at);
  }

  private static Mono<Void> send(
      TransferEngine from, Peer to, MessageChannel channel, int many, Message message) {
    return Flux.range(0, many)
        .concatMap(at -> from.send(to, channel, sealed(message.number(at))))
        .then();
  }

  private static ByteBuffer message(byte version, byte kind, long id) {
    return ByteBuffer.allocate(ROOM).put(version).put(kind).putLong(id);
  }

  private static ByteBuffer name(ByteBuffer message, String name) {
    byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
    return message.put((byte) bytes.length).put(bytes);
  }

  private static ByteBuffer sealed(ByteBuffer message) {
    CRC32C checksum = new CRC32C();
    checksum.update(message.duplicate().flip());
    return message.putInt((int) checksum.getValue()).flip();
  }
}
