/**
 * Programs that measure, check and simulate, started by {@code java -jar} or, in a checkout, by
 * {@code examples/run NAME}. Start with {@link io.reactivetransfer.tools.Main}.
 */
@NullMarked
package io.reactivetransfer.tools;

import org.jspecify.annotations.NullMarked;
