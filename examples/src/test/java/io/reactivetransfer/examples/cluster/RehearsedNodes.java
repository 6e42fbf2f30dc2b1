package io.reactivetransfer.examples.cluster;

import java.io.IOException;
import java.time.Duration;

/** Nodes of both roles in this process, for a cache of the classes that they need. */
public final class RehearsedNodes {

  private RehearsedNodes() {}

  /** Runs a few requests, if there is an etcd. */
  public static void run() throws IOException, InterruptedException {
    if (!Etcd.isInstalled()) {
      return;
    }
    try (Etcd etcd = Etcd.open();
        PrefillNode _ = PrefillNode.open("prefill", etcd.endpoint());
        DecodeNode decode = DecodeNode.open("decode", etcd.endpoint(), 0, Duration.ZERO)) {
      decode.answer(DecodeNode.BEGIN);
      decode.answer(DecodeNode.AWAIT + 1);
      decode.answer(DecodeNode.STOP);
    }
  }
}
