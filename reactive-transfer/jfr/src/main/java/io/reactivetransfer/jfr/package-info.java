/** Events of JDK Flight Recorder: {@link io.reactivetransfer.jfr.EngineEvents}. */
@NullMarked
package io.reactivetransfer.jfr;

import org.jspecify.annotations.NullMarked;
