/** The tokens that tie a runner to one run and one epoch, and how they are verified. */
@NullMarked
package dev.baton.protocol.lease;

import org.jspecify.annotations.NullMarked;
