/**
 * Says what can run here, and what a path to another host can carry: {@code examples/run doctor}.
 * Start with {@link io.reactivetransfer.tools.doctor.DoctorCommand}.
 */
@NullMarked
package io.reactivetransfer.tools.doctor;

import org.jspecify.annotations.NullMarked;
