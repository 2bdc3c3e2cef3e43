/**
 * Checks from a recorded history whether the system has kept its guarantees. Needs no services.
 *
 * <p>Only the fold in {@code protocol} defines the meaning of a trace; this package is a deliberate
 * exception. It checks the fold and all components that use it, so it interprets the log on its own
 * ({@link dev.baton.chaos.check.RunLogReplay}), written from the design and not from the fold's
 * code: a bug of the fold must not hide itself.
 */
@NullMarked
package dev.baton.chaos.check;

import org.jspecify.annotations.NullMarked;
