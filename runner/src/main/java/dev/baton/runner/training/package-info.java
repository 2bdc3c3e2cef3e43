/**
 * Rehearses a run for the JDK's AOT cache, so that a replacement starts with the classes and
 * profiles of this rehearsal.
 */
@NullMarked
package dev.baton.runner.training;

import org.jspecify.annotations.NullMarked;
