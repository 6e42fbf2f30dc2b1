package io.reactivetransfer.ibverbs;

import io.reactivetransfer.ibverbs.ffi.FakeLimits;
import io.reactivetransfer.ibverbs.ffi.FakeVerbs;
import io.reactivetransfer.tck.Chapters;

/** What holds the credits of queues, over cards whose queues are short; see SmallDeviceTest. */
@Chapters({"Revocation", "DriverLimit", "DriverWait", "DriverReport"})
class SmallDeviceConformanceTest extends IbverbsFakeConformanceTest {

  @Override
  FakeVerbs cards() {
    return new FakeVerbs(8, FakeLimits.small(8));
  }
}
