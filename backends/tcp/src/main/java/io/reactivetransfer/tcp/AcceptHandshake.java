package io.reactivetransfer.tcp;

import io.reactivetransfer.EngineId;
import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.tcp.Authentication.Role;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The handshake as the acceptor sees it: it waits for a hello, and for the proof that the dialler
 * has a session with it. It proves the same last, so that nobody gets anything out of it who has
 * none.
 */
final class AcceptHandshake {

  private final Authentication authentication;
  private final EngineId self;
  private Handshake.@Nullable Hello hello;
  private byte @Nullable [] challenge;

  AcceptHandshake(Authentication authentication, EngineId self) {
    this.authentication = authentication;
    this.self = self;
  }

  /** Checks the head of what the dialler says next; how long its body is. */
  int bodyOf(ByteBuffer head) {
    return hello == null ? Handshake.helloBody(head) : Handshake.proofBody(head);
  }

  /**
   * What to say to what the dialler has said.
   *
   * @param certificate the hash of what this side has shown under TLS, or no bytes
   */
  Handshake.Reply reply(byte[] body, byte[] certificate) {
    if (hello == null) {
      hello = Handshake.hello(body);
      if (authentication.isRequired()) {
        challenge = authentication.newNonce();
        return new Handshake.Challenge(challenge);
      }
      return answer(hello, null);
    }
    if (challenge == null
        || !authentication.holds(body, Role.DIALLER, hello, challenge, certificate)) {
      return new Handshake.Refusal(
          ErrorCode.UNAUTHENTICATED.because(
              "expected a proof of the session with this engine, got another one"));
    }
    return answer(hello, authentication.proof(Role.ACCEPTOR, hello, challenge, certificate));
  }

  private Handshake.Reply answer(Handshake.Hello known, byte @Nullable [] proof) {
    if (known.acceptor().equals(self)) {
      return new Handshake.Welcome(self, proof);
    }
    return new Handshake.Refusal(
        ErrorCode.WRONG_ENGINE.because(
            "the engine at this address is "
                + self.toShortString()
                + ", not "
                + known.acceptor().toShortString()
                + ": was its process restarted? Get its new address"));
  }

  /** What the dialler said first; only after it was welcomed. */
  Handshake.Hello hello() {
    if (hello == null) {
      throw new IllegalStateException("expected a hello before");
    }
    return hello;
  }
}
