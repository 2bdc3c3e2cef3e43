/**
 * Child processes of steps, each started in its own session so that no process outlives its step.
 */
@NullMarked
package dev.baton.runner.process;

import org.jspecify.annotations.NullMarked;
