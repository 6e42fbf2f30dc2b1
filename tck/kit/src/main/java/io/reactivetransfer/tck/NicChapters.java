package io.reactivetransfer.tck;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * On a class that extends {@link TransferConformance}: leaves out, to save time, the chapters about
 * what an engine does by itself, whatever its NICs are. For a backend whose NICs a thread polls, as
 * those of {@code loopback} and {@code tcp}, which run all chapters. The others are about bytes,
 * their end, keys, losses, what a close leaves, and what a driver must keep. {@value Chapters#ALL}
 * runs all of them, as {@link Chapters#unlessAll()} says.
 */
@Inherited
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Chapters(
    except = {
      "Quiet",
      "Cancel",
      "Terminal",
      "Demand",
      "Abort",
      "BadInput",
      "BackPressure",
      "ReactiveStreams",
      "Deadline",
      "Outcome",
      "Barrier",
      "Watch",
      "NicFailure",
      "Control",
      "Figure"
    },
    unlessAll = true)
public @interface NicChapters {}
