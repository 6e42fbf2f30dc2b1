package io.reactivetransfer.control;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.HostPort;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.ProtocolException;
import java.security.KeyPair;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The handshake as the side sees it that was dialled: it challenges whoever says hello, and tells
 * nothing of itself, and does nothing that is expensive, before the other side has proved that it
 * belongs to the cluster. Its answer commits to nothing: the session begins with the first frame of
 * the other side, which proves that it has the keys.
 */
final class AcceptHandshake {

  private final Credentials credentials;
  private final ProvenSecrets secrets;
  private final Binding binding;
  private final String backend;
  private final int maxMessageBytes;
  private final BiPredicate<HostPort, byte[]> isOwnAddress;
  private Handshake.@Nullable Hello hello;
  private byte[] transcript = {};

  /**
   * Waits for a hello.
   *
   * @param isOwnAddress whether who dialled this host and port, and came to this IP address, meant
   *     this engine
   */
  AcceptHandshake(
      Credentials credentials,
      Binding binding,
      String backend,
      int maxMessageBytes,
      BiPredicate<HostPort, byte[]> isOwnAddress) {
    this.credentials = credentials;
    this.secrets = credentials.secrets();
    this.binding = binding;
    this.backend = backend;
    this.maxMessageBytes = maxMessageBytes;
    this.isOwnAddress = isOwnAddress;
  }

  /** What comes next. */
  Handshake.Kind expected() {
    return hello == null ? Handshake.Kind.HELLO : Handshake.Kind.PROOF;
  }

  /** The challenge for a hello. */
  byte[] challenge(byte[] helloFrame) {
    hello = Handshake.hello(helloFrame);
    int chosen = binding.choose(hello.bindings());
    byte[] challenge =
        Handshake.encode(
            new Handshake.Challenge(credentials.newNonce(), secrets.count() > 0, chosen));
    transcript = Credentials.hash(helloFrame, challenge, binding.bytes(chosen));
    return challenge;
  }

  /** What the other side has said, once it has said hello. */
  Handshake.Hello hello() {
    if (hello == null) {
      throw new IllegalStateException("expected a hello before");
    }
    return hello;
  }

  /** What to say to a proof that holds, and the keys of the session that it leads to. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  record Welcomed(byte[] answer, SessionKeys keys) {}

  /**
   * Checks a proof.
   *
   * @param session what the welcome says about a session that there is already
   */
  Welcomed welcome(byte[] proofFrame, java.util.function.ToLongFunction<EngineId> session) {
    Handshake.Hello known = hello();
    Handshake.Proof proof = Handshake.proof(proofFrame);
    int secret = secretOf(proof);
    if (!Credentials.isSigned(known.key(), Labels.DIALLER, transcript, proof.signature())) {
      throw new ProtocolException(
          ErrorCode.UNAUTHENTICATED,
          "expected a signature of engine " + known.engine().toShortString() + ", got another one");
    }
    requireMeant(known);
    KeyPair share = credentials.newShare();
    Handshake.Welcome unsigned =
        new Handshake.Welcome(
            credentials.identity().publicKey(),
            share.getPublic().getEncoded(),
            maxMessageBytes,
            session.applyAsLong(known.engine()),
            new byte[Handshake.SIGNATURE_BYTES],
            null);
    transcript = Labels.afterWelcome(transcript, proofFrame, Handshake.encode(unsigned));
    byte[] answer =
        Handshake.encode(
            new Handshake.Welcome(
                unsigned.key(),
                unsigned.share(),
                unsigned.maxMessageBytes(),
                unsigned.session(),
                credentials.sign(Labels.ACCEPTOR, transcript),
                secret < 0 ? null : secrets.code(secret, Labels.ACCEPTOR, transcript)));
    byte[] agreed = Credentials.agree(share.getPrivate(), known.share());
    return new Welcomed(answer, Labels.keys(secrets, secret, agreed, transcript));
  }

  /** The index of the secret that both know, or -1 if none is wanted. */
  private int secretOf(Handshake.Proof proof) {
    if (secrets.count() == 0) {
      return -1;
    }
    for (byte[] code : proof.secrets()) {
      int secret = secrets.secretOf(code, Labels.DIALLER, transcript);
      if (secret >= 0) {
        return secret;
      }
    }
    throw new ProtocolException(
        ErrorCode.UNAUTHENTICATED,
        "expected a proof of the cluster secret, got one of another secret; set the same one on"
            + " both sides, with secret() of the backend's builder");
  }

  private void requireMeant(Handshake.Hello known) {
    if (!known.backend().equals(backend)) {
      throw new ProtocolException(
          ErrorCode.BACKEND,
          "the engine at this address uses the backend "
              + backend
              + ", and not the same one as who dials it");
    }
    EngineId self = credentials.identity().id();
    if (known.wanted() != null && !known.wanted().equals(self)) {
      throw new ProtocolException(
          ErrorCode.WRONG_ENGINE,
          "the engine at this address is "
              + self.toShortString()
              + ", not "
              + known.wanted().toShortString()
              + ": was its process restarted? Get its new address");
    }
    if (!isOwnAddress.test(known.dialled(), known.address())) {
      throw new ProtocolException(
          ErrorCode.WRONG_ADDRESS,
          "the engine that answers was dialled as "
              + known.dialled()
              + " and does not know that as an address of its own; name it with advertised() or"
              + " alsoKnownAs() of its backend's builder, unless something in between passes"
              + " connections on that should not");
    }
  }
}
