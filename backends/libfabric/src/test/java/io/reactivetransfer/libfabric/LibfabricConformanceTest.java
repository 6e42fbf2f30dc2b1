package io.reactivetransfer.libfabric;

import io.reactivetransfer.spi.Backend;
import io.reactivetransfer.tck.Chapters;
import io.reactivetransfer.tck.NicChapters;
import io.reactivetransfer.tck.Profile;
import io.reactivetransfer.tck.TransferConformance;

/**
 * The kit over the provider tcp. In a usual build the chapters that a NIC can break: what an engine
 * does by itself is the same over any NIC that a thread of its own polls, as those of loopback; and
 * with one number of NICs beside the one NIC of most rules, because how an engine shares writes out
 * among them is the same, too.
 */
@NicChapters
class LibfabricConformanceTest extends TransferConformance {

  @Override
  protected Backend backend() {
    return LibfabricBackend.builder().provider("tcp").build();
  }

  @Override
  protected Profile profile() {
    Profile all = Profile.defaults().skipIfUnavailable();
    return Boolean.getBoolean(Chapters.ALL) ? all : all.withNicCounts(3);
  }
}
