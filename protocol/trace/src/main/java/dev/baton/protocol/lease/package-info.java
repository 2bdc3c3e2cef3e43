/** Verifies the tokens that bind a runner to one run and one epoch. */
@NullMarked
package dev.baton.protocol.lease;

import org.jspecify.annotations.NullMarked;
