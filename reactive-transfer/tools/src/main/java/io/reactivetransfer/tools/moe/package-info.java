/**
 * What a step of a mixture of experts costs on the host, of one rank among many, over NICs that
 * move nothing.
 */
@NullMarked
package io.reactivetransfer.tools.moe;

import org.jspecify.annotations.NullMarked;
