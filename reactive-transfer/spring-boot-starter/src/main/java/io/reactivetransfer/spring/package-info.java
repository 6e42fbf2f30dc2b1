/**
 * Engines as beans of Spring Boot: {@link io.reactivetransfer.spring.ReactiveTransferProperties}
 * says which, {@link io.reactivetransfer.spring.EngineOptionsCustomizer} sets what is no property.
 */
@NullMarked
package io.reactivetransfer.spring;

import org.jspecify.annotations.NullMarked;
