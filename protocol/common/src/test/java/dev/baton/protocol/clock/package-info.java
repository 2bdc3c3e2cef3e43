/** Tests of the clock checks. */
@NullMarked
package dev.baton.protocol.clock;

import org.jspecify.annotations.NullMarked;
