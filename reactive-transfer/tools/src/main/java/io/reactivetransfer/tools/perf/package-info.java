/**
 * The example {@code perf}: how fast a backend moves bytes, next to a plain reference. Read {@link
 * io.reactivetransfer.tools.perf.OriginRole} and {@link io.reactivetransfer.tools.perf.TransferRun}
 * for how the library is used; the rest is options, processes and figures.
 */
@NullMarked
package io.reactivetransfer.tools.perf;

import org.jspecify.annotations.NullMarked;
