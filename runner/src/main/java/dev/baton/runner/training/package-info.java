/**
 * A rehearsal of a run for the JDK's AOT cache: what is loaded and run here need not be loaded when
 * a replacement starts.
 */
@NullMarked
package dev.baton.runner.training;

import org.jspecify.annotations.NullMarked;
