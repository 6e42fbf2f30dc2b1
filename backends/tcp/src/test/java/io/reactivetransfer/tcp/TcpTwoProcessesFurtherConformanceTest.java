package io.reactivetransfer.tcp;

import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.process.TwoProcesses;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;

/**
 * Further chapters. A usual build has them in one process, and losses of processes by the rules
 * about those.
 */
@Tag("nightly")
@Chapters({"Arrival", "LostPeer", "Abort", "Counting", "Message"})
class TcpTwoProcessesFurtherConformanceTest extends TcpInTwoProcesses {

  private static final TwoProcesses BOTH = new TwoProcesses(Tcp.class);

  TcpTwoProcessesFurtherConformanceTest() {
    super(BOTH);
  }

  @AfterAll
  static void end() {
    BOTH.close();
  }
}
