/** Runs: created many at a time, listed, shown, paused, resumed, cancelled. */
@NullMarked
package dev.baton.orchestrator.runs;

import org.jspecify.annotations.NullMarked;
