/**
 * Decides from a recorded history whether the system has kept its promises. Needs no services.
 *
 * <p>What a trace means is decided by the fold in {@code protocol} and nowhere else; this package
 * is the exception, on purpose. It judges the fold and everybody who uses it, so it reads the log
 * with a small interpretation of its own ({@link dev.baton.chaos.check.RunLogReplay}), written from
 * the design and not from the fold's code: a mistake of the fold must not hide itself.
 */
@NullMarked
package dev.baton.chaos.check;

import org.jspecify.annotations.NullMarked;
