package io.reactivetransfer.control;

import java.util.Arrays;

/** What both sides of a handshake compute alike. */
final class Labels {

  static final String DIALLER = "reactive-transfer control dialler";
  static final String ACCEPTOR = "reactive-transfer control acceptor";
  private static final String SESSION = "reactive-transfer control session";

  private Labels() {}

  /** The hash of all that was said, up to the signature in the welcome. */
  static byte[] afterWelcome(byte[] before, byte[] proof, byte[] answer) {
    int from = Handshake.HEAD_BYTES;
    return Credentials.hash(
        before, proof, Arrays.copyOfRange(answer, from, from + Handshake.WELCOME_BYTES));
  }

  /** The session's keys; {@code secret} is the index of the one that both know, or -1. */
  static SessionKeys keys(ProvenSecrets secrets, int secret, byte[] agreed, byte[] transcript) {
    byte[] salt =
        secret < 0 ? new byte[SessionKeys.BYTES] : secrets.code(secret, SESSION, transcript);
    return new SessionKeys(salt, agreed, transcript);
  }
}
