package io.reactivetransfer.weights.version;

import io.reactivetransfer.weights.internal.MessageReader;
import java.nio.ByteBuffer;

/** Reads the fields of one message from bytes that may be anything. */
final class VersionReader extends MessageReader {

  VersionReader(ByteBuffer bytes) {
    super(bytes, VersionCodec.VERSION);
  }

  Term term() {
    return new Term(i64("round", 0), i64("controller", Long.MIN_VALUE));
  }

  UpdateNumber update() {
    Term term = term();
    return UpdateNumber.of(term, i64("serial", 0));
  }

  MemberId member() {
    return new MemberId(name(), i64("incarnation", Long.MIN_VALUE));
  }
}
