/**
 * The example {@code spring}: an application of Spring Boot, whose nodes write to each other, and
 * whose page shows it. Read {@link io.reactivetransfer.examples.spring.Load} for how an engine that
 * is injected is used, and {@link io.reactivetransfer.examples.spring.PageController} for what the
 * page is told; {@code application.yaml} has the rest.
 */
@NullMarked
package io.reactivetransfer.examples.spring;

import org.jspecify.annotations.NullMarked;
