package io.reactivetransfer.moe;

import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import reactor.util.Logger;
import reactor.util.Loggers;

/** Tells the recorder of one group, if it has one, and survives what that throws. In turns. */
final class Recording {

  private static final Logger LOG = Loggers.getLogger(Recording.class);

  private final MoeRecorder recorder;

  /** Null until all have joined, and once it was closed. */
  private @Nullable MoeGroup group;

  private boolean hasThrown;

  Recording(MoeRecorder recorder) {
    this.recorder = recorder;
  }

  /** Whether there is one: if not, nobody needs to find out what to tell it. */
  @SuppressWarnings("ReferenceEquality") // the very object
  boolean isOn() {
    return recorder != MoeRecorder.NONE;
  }

  void opened(MoeGroup group) {
    if (isOn()) {
      this.group = group;
      tell(MoeRecorder::opened);
    }
  }

  void closed() {
    if (isOn()) {
      tell(MoeRecorder::closed);
      group = null;
    }
  }

  /** Nothing is told of a group that not all have joined. */
  void tell(BiConsumer<MoeRecorder, MoeGroup> event) {
    MoeGroup of = group;
    if (of == null) {
      return;
    }
    try {
      event.accept(recorder, of);
    } catch (Throwable thrown) {
      if (!hasThrown) {
        hasThrown = true;
        say(of.name(), thrown);
      }
    }
  }

  /** If that is possible, which it is not if an exception cannot say what it is. */
  private static void say(String group, Throwable thrown) {
    try {
      LOG.warn("the recorder of group {} has thrown, which it must not", group, thrown);
    } catch (Throwable unsaid) {
      // What is to be done behind what was told is more important.
    }
  }
}
