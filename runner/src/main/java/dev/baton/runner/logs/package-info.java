/**
 * Standard output and error of steps on their way to {@code baton.logs}: bounded, never in a step's
 * way.
 */
@NullMarked
package dev.baton.runner.logs;

import org.jspecify.annotations.NullMarked;
