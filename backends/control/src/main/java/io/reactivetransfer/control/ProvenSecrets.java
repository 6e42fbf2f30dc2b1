package io.reactivetransfer.control;

import io.reactivetransfer.ClusterSecret;
import java.security.MessageDigest;
import java.util.List;
import javax.crypto.Mac;

/**
 * The secrets that are valid when a handshake begins: it ends with those, however they are renewed
 * meanwhile. For one thread.
 */
final class ProvenSecrets {

  private final List<ClusterSecret> secrets;
  private final List<Mac> codes;

  /**
   * Of these.
   *
   * @param secrets none, or the current one, or that and the previous one
   */
  ProvenSecrets(List<ClusterSecret> secrets) {
    this.secrets = secrets;
    this.codes = secrets.stream().map(ClusterSecret::newMac).toList();
  }

  /** Whether these are the very ones. */
  boolean are(List<ClusterSecret> others) {
    return secrets.equals(others); // of which each equals itself alone
  }

  /** How many there are. */
  int count() {
    return codes.size();
  }

  /** The code of the secret with this index over that. */
  byte[] code(int secret, String label, byte[] hash) {
    return codes.get(secret).doFinal(Credentials.labelled(label, hash));
  }

  /** The index of the secret that this is the code of, or -1. */
  int secretOf(byte[] code, String label, byte[] hash) {
    for (int i = 0; i < codes.size(); i++) {
      if (MessageDigest.isEqual(code(i, label, hash), code)) {
        return i;
      }
    }
    return -1;
  }
}
