package io.reactivetransfer.tcp;

import io.reactivetransfer.control.socket.ErrorCode;
import io.reactivetransfer.control.socket.ProtocolException;
import io.reactivetransfer.tcp.Authentication.Role;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The handshake as the dialler sees it: it says hello, proves that it has a session with the
 * acceptor when it is challenged, and wants to be welcomed by the right engine, which has that
 * session too.
 */
final class DialHandshake {

  private final Authentication authentication;
  private final Handshake.Hello hello;
  private final ByteBuffer head = ByteBuffer.allocate(Handshake.HEAD_BYTES);
  private byte @Nullable [] challenge;
  private byte[] shown = new byte[0];

  DialHandshake(Authentication authentication, Handshake.Hello hello) {
    this.authentication = authentication;
    this.hello = hello;
  }

  Handshake.Hello hello() {
    return hello;
  }

  /** Checks the head of a reply; how long its body is. */
  int bodyOf(ByteBuffer replyHead) {
    head.clear().put(replyHead.duplicate()).clear();
    return Handshake.replyBody(replyHead);
  }

  /** The reply with that head and this body. */
  Handshake.Reply reply(byte[] body) {
    return Handshake.reply(head, body);
  }

  /**
   * The proof that this challenge wants.
   *
   * @param certificate the hash of what the acceptor has shown under TLS, or no bytes
   */
  byte[] prove(Handshake.Challenge asked, byte[] certificate) {
    if (challenge != null) {
      throw new ProtocolException("expected an answer to the proof, got another challenge");
    }
    if (!authentication.isRequired()) {
      throw new ProtocolException(
          ErrorCode.UNAUTHENTICATED,
          "it wants a proof of a session, and this engine was opened without any");
    }
    challenge = asked.nonce();
    shown = certificate;
    return authentication.proof(Role.DIALLER, hello, asked.nonce(), certificate);
  }

  /** Checks who welcomes. */
  void check(Handshake.Welcome welcome) {
    if (!authentication.isRequired() && welcome.proof() != null) {
      throw new ProtocolException("expected a welcome without a proof, which nobody has asked for");
    }
    if (!welcome.acceptor().equals(hello.acceptor())) {
      throw new ProtocolException(
          ErrorCode.WRONG_ENGINE,
          "expected a welcome from "
              + hello.acceptor().toShortString()
              + ", got one from "
              + welcome.acceptor().toShortString());
    }
    if (authentication.isRequired() && !proves(welcome)) {
      throw new ProtocolException(
          ErrorCode.UNAUTHENTICATED, "it did not prove that it has a session with this engine");
    }
  }

  private boolean proves(Handshake.Welcome welcome) {
    byte[] proof = welcome.proof();
    return challenge != null
        && proof != null
        && authentication.holds(proof, Role.ACCEPTOR, hello, challenge, shown);
  }
}
