package io.reactivetransfer.jfr;

import io.reactivetransfer.EngineId;
import jdk.jfr.Category;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Registered;
import jdk.jfr.StackTrace;

/** What all events tell. The thread is a NIC's, and its stack says nothing. */
@Category("Reactive Transfer")
@Enabled(false)
@Registered(false)
@StackTrace(false)
abstract class EngineEvent extends Event {

  @Label("Engine")
  String engine = "";

  void of(EngineId id) {
    engine = id.toShortString();
  }
}
