package io.reactivetransfer.kvcache;

class LoopbackHandOverTest extends HandOverContract {
  @Override
  String backend() {
    return "loopback";
  }
}
