/** Folds the trace into the run table, the view behind the run list, exactly once. */
@NullMarked
package dev.baton.orchestrator.projection;

import org.jspecify.annotations.NullMarked;
