/**
 * The conformance kit for backends, and for accesses to accelerators.
 *
 * <p>Start with {@link io.reactivetransfer.tck.TransferConformance}: extend it, return your
 * backend, and every rule of {@code docs/specification.md} that a program can check becomes a test
 * of yours. {@link io.reactivetransfer.tck.Profile} says how long to wait and what your backend
 * cannot do.
 *
 * <p>For an access to accelerators it is {@link io.reactivetransfer.tck.DeviceConformance}, and for
 * peers in other processes {@link io.reactivetransfer.tck.ProcessConformance}.
 *
 * <p>The rest is machinery: a class {@code XyzRules} for each chapter of the specification, a
 * {@code Stage} that opens what a test needs and checks at its end that nothing is left, and a
 * {@code Valve} between engine and backend, through which a test decides when a NIC takes a write
 * and when it reports one.
 */
@NullMarked
package io.reactivetransfer.tck;

import org.jspecify.annotations.NullMarked;
