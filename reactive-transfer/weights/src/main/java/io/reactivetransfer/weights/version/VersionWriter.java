package io.reactivetransfer.weights.version;

import io.reactivetransfer.weights.internal.MessageWriter;

/** Writes the fields of one message; the counterpart of {@link VersionReader}. */
final class VersionWriter extends MessageWriter<VersionWriter> {

  VersionWriter(int kind) {
    super(VersionCodec.VERSION, kind);
  }

  @Override
  protected VersionWriter self() {
    return this;
  }

  VersionWriter term(Term term) {
    return i64(term.round()).i64(term.controller());
  }

  VersionWriter update(UpdateNumber update) {
    return term(update.term()).i64(update.serial());
  }

  VersionWriter member(MemberId member) {
    return name(member.name()).i64(member.incarnation());
  }
}
