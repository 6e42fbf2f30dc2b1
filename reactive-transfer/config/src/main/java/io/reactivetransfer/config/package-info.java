/**
 * Engines that are set up by a file, system properties or the environment: {@link
 * io.reactivetransfer.config.EngineConfiguration}. The other types are for what reads the same
 * settings in another way, such as the Spring Boot starter.
 */
@NullMarked
package io.reactivetransfer.config;

import org.jspecify.annotations.NullMarked;
