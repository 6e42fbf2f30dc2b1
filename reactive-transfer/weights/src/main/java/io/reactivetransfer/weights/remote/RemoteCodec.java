package io.reactivetransfer.weights.remote;

import io.reactivetransfer.weights.check.ChecksumScope;
import io.reactivetransfer.weights.internal.MessageReader;
import io.reactivetransfer.weights.internal.MessageWriter;
import io.reactivetransfer.weights.run.RunProgress;
import io.reactivetransfer.weights.run.StageProgress;
import io.reactivetransfer.weights.version.UpdateNumber;
import io.reactivetransfer.weights.version.WriteOrder;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;

/** The bytes of what a controller and its trainers say; docs/weights.md has them as a table. */
final class RemoteCodec {

  static final int VERSION = 3;

  private static final int START = 1;
  private static final int STOP = 2;
  private static final int ASK = 3;
  private static final int ACCEPTED = 4;
  private static final int PROGRESS = 5;
  private static final int DONE = 6;
  private static final int FAILED = 7;

  private RemoteCodec() {}

  private static final class Writer extends MessageWriter<Writer> {

    Writer(int kind, UpdateNumber update) {
      super(VERSION, kind);
      i64(update.round()).i64(update.controller()).i64(update.serial());
    }

    @Override
    protected Writer self() {
      return this;
    }

    Writer checksums(ChecksumScope scope) {
      u8(scope.degree().code()).i32(scope.tensors().size());
      scope.tensors().stream().sorted().forEach(this::name);
      return this;
    }

    Writer stage(StageProgress stage) {
      return i64(stage.steps()).i64(stage.bytes()).i64(stage.nanos());
    }

    Writer run(RunProgress run) {
      i64(run.steps()).i64(run.bytes());
      stage(run.loaded()).stage(run.gathered()).stage(run.prepared()).stage(run.written());
      return i64(run.temporaryBytes()).i64(run.waitNanos()).i64(run.elapsedNanos());
    }
  }

  private static final class Reader extends MessageReader {

    Reader(ByteBuffer bytes) {
      super(bytes, VERSION);
    }

    UpdateNumber update() {
      return new UpdateNumber(i64("round", 0), i64("controller", Long.MIN_VALUE), i64("serial", 0));
    }

    ChecksumScope checksums() {
      ChecksumScope.Degree degree = one("degree of checksums", ChecksumScope.Degree::of);
      List<String> tensors = list("tensors", ChecksumScope.MAX_TENSORS, 2, this::name);
      if (!tensors.equals(tensors.stream().distinct().sorted().toList())) {
        throw bad("names of tensors that rise", "others");
      }
      return checked(() -> new ChecksumScope(degree, Set.copyOf(tensors)));
    }

    StageProgress stage() {
      return new StageProgress(i64("steps", 0), i64("bytes", 0), i64("nanoseconds", 0));
    }

    RunProgress run(UpdateNumber update) {
      return new RunProgress(
          RunNumber.of(update),
          i64("steps", 0),
          i64("bytes", 0),
          stage(),
          stage(),
          stage(),
          stage(),
          i64("temporaries", 0),
          i64("nanoseconds", 0),
          i64("nanoseconds", 0));
    }
  }

  static ByteBuffer encode(RemoteMessage message) {
    UpdateNumber update = message.update();
    return switch (message) {
      case RemoteMessage.Start start -> {
        ByteBuffer order = start.order().toBytes();
        byte[] bytes = new byte[order.remaining()];
        order.get(bytes);
        yield new Writer(START, update).bytes(bytes).checksums(start.checksums()).sealed();
      }
      case RemoteMessage.Stop _ -> new Writer(STOP, update).sealed();
      case RemoteMessage.Ask _ -> new Writer(ASK, update).sealed();
      case RemoteMessage.Accepted one -> new Writer(ACCEPTED, update).name(one.trainer()).sealed();
      case RemoteMessage.Progress one ->
          new Writer(PROGRESS, update).name(one.trainer()).run(one.run()).sealed();
      case RemoteMessage.Done one ->
          new Writer(DONE, update).name(one.trainer()).run(one.run()).sealed();
      case RemoteMessage.Failed one ->
          new Writer(FAILED, update).name(one.trainer()).text(one.why()).sealed();
    };
  }

  /**
   * Reads an order out of bytes that may be anything.
   *
   * @throws IllegalArgumentException if they are anything else
   */
  static RemoteMessage.Order decodeOrder(ByteBuffer bytes) {
    Reader in = new Reader(bytes);
    int kind = in.u8("kind", START, ASK);
    UpdateNumber update = in.update();
    RemoteMessage.Order order =
        switch (kind) {
          case START -> {
            byte[] form = in.bytes("an order", MessageWriter.MAX_BYTES);
            WriteOrder what = in.checked(() -> WriteOrder.fromBytes(ByteBuffer.wrap(form)));
            if (!what.update().equals(update)) {
              throw in.bad("an order of update " + update, "update " + what.update());
            }
            yield new RemoteMessage.Start(what, in.checksums());
          }
          case STOP -> new RemoteMessage.Stop(update);
          default -> new RemoteMessage.Ask(update);
        };
    in.end();
    return order;
  }

  /**
   * Reads an answer out of bytes that may be anything.
   *
   * @throws IllegalArgumentException if they are anything else
   */
  static RemoteMessage.Answer decodeAnswer(ByteBuffer bytes) {
    Reader in = new Reader(bytes);
    int kind = in.u8("kind", ACCEPTED, FAILED);
    UpdateNumber update = in.update();
    String trainer = in.name();
    RemoteMessage.Answer answer =
        switch (kind) {
          case ACCEPTED -> new RemoteMessage.Accepted(update, trainer);
          case PROGRESS -> new RemoteMessage.Progress(update, trainer, in.run(update));
          case DONE -> new RemoteMessage.Done(update, trainer, in.run(update));
          default -> new RemoteMessage.Failed(update, trainer, in.text("a reason"));
        };
    in.end();
    return answer;
  }
}
