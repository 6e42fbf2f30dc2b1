package io.reactivetransfer.control;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.ProtocolException;
import java.net.InetAddress;
import java.security.KeyPair;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The handshake as the side sees it that dials: it says hello, proves who it is and that it knows
 * the secret when it is challenged, and wants to be welcomed by the right engine; and, if it has a
 * secret, by one that knows it too.
 */
final class DialHandshake {

  private final Credentials credentials;
  private final ProvenSecrets secrets;
  private final Binding binding;
  private final @Nullable EngineId wanted;
  private final KeyPair share;
  private final byte[] hello;
  private boolean challenged;
  private byte[] transcript = {};

  DialHandshake(
      Credentials credentials,
      Binding binding,
      String backend,
      int maxMessageBytes,
      @Nullable EngineId wanted,
      long number,
      HostPort dialled,
      InetAddress address) {
    this.credentials = credentials;
    this.secrets = credentials.secrets();
    this.binding = binding;
    this.wanted = wanted;
    this.share = credentials.newShare();
    this.hello =
        Handshake.encode(
            new Handshake.Hello(
                credentials.identity().publicKey(),
                credentials.newNonce(),
                share.getPublic().getEncoded(),
                wanted,
                number,
                maxMessageBytes,
                binding.offers(),
                dialled,
                address.getAddress(),
                backend));
  }

  /** What is said first. */
  byte[] hello() {
    return hello;
  }

  /** What may come next. */
  Handshake.Kind[] expected() {
    return challenged
        ? new Handshake.Kind[] {Handshake.Kind.ANSWER}
        : new Handshake.Kind[] {Handshake.Kind.CHALLENGE, Handshake.Kind.ANSWER};
  }

  /** The proof that this challenge wants. */
  byte[] prove(byte[] challengeFrame) {
    Handshake.Challenge challenge = Handshake.challenge(challengeFrame);
    if (challenge.wantsSecret() && secrets.count() == 0) {
      throw new ProtocolException(
          ErrorCode.UNAUTHENTICATED,
          "it wants a cluster secret and this engine has none; set the same one on both sides, with"
              + " secret() of the backend's builder");
    }
    if (!challenge.wantsSecret() && secrets.count() > 0) {
      throw new ProtocolException(
          ErrorCode.UNAUTHENTICATED,
          "it has no cluster secret and this engine has one; set the same one on both sides, with"
              + " secret() of the backend's builder");
    }
    challenged = true;
    transcript = Credentials.hash(hello, challengeFrame, binding.bytes(challenge.binding()));
    List<byte[]> codes = new ArrayList<>();
    for (int i = 0; i < secrets.count(); i++) {
      codes.add(secrets.code(i, Labels.DIALLER, transcript));
    }
    proof =
        Handshake.encode(new Handshake.Proof(credentials.sign(Labels.DIALLER, transcript), codes));
    return proof;
  }

  private byte[] proof = {};

  /** Who has welcomed this engine, and the keys of the session. */
  record Welcomed(EngineId engine, int maxMessageBytes, long session, SessionKeys keys) {}

  /** Checks who welcomes. */
  Welcomed check(byte[] answerFrame) {
    if (!challenged) {
      throw new ProtocolException("expected a challenge before a welcome, got none");
    }
    Handshake.Welcome welcome = Handshake.welcome(answerFrame);
    EngineId engine = welcome.engine();
    if (wanted != null && !wanted.equals(engine)) {
      throw new ProtocolException(
          ErrorCode.WRONG_ENGINE,
          "expected a welcome from "
              + wanted.toShortString()
              + ", got one from "
              + engine.toShortString());
    }
    transcript = Labels.afterWelcome(transcript, proof, answerFrame);
    int secret = secretOf(welcome);
    if (!Credentials.isSigned(welcome.key(), Labels.ACCEPTOR, transcript, welcome.signature())) {
      throw new ProtocolException(
          ErrorCode.UNAUTHENTICATED,
          "expected a signature of engine " + engine.toShortString() + ", got another one");
    }
    byte[] agreed = Credentials.agree(share.getPrivate(), welcome.share());
    return new Welcomed(
        engine,
        welcome.maxMessageBytes(),
        welcome.session(),
        Labels.keys(secrets, secret, agreed, transcript));
  }

  private int secretOf(Handshake.Welcome welcome) {
    byte[] code = welcome.secret();
    if (secrets.count() == 0) {
      if (code != null) {
        throw new ProtocolException("expected a welcome without a secret's proof, got one");
      }
      return -1;
    }
    int secret = code == null ? -1 : secrets.secretOf(code, Labels.ACCEPTOR, transcript);
    if (secret < 0) {
      throw new ProtocolException(
          ErrorCode.UNAUTHENTICATED,
          "it did not prove that it knows the cluster secret; set the same one on both sides, with"
              + " secret() of the backend's builder");
    }
    return secret;
  }
}
