/**
 * JMH benchmarks of the engine alone, over a NIC that completes everything at the next poll: {@code
 * examples/run jmh}. Start with {@link io.reactivetransfer.tools.jmh.SubmitBenchmark}.
 */
@NullMarked
package io.reactivetransfer.tools.jmh;

import org.jspecify.annotations.NullMarked;
