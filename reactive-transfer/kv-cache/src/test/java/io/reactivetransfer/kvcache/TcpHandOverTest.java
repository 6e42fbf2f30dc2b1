package io.reactivetransfer.kvcache;

class TcpHandOverTest extends HandOverContract {
  @Override
  String backend() {
    return "tcp";
  }
}
