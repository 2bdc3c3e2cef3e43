/**
 * Executes one attempt of each kind of step. The engine decides order and retries and writes the
 * trace.
 */
@NullMarked
package dev.baton.runner.steps;

import org.jspecify.annotations.NullMarked;
