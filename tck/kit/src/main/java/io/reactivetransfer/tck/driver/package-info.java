/**
 * What tests of a backend's own need beside the kit: two NICs without engines, in {@link
 * io.reactivetransfer.tck.driver.TwoNics}; a native library whose n-th call fails, in {@link
 * io.reactivetransfer.tck.driver.FailingCalls}; and what a C compiler says of the library's
 * headers, in {@link io.reactivetransfer.tck.driver.HeaderComparison}.
 */
@NullMarked
package io.reactivetransfer.tck.driver;

import org.jspecify.annotations.NullMarked;
