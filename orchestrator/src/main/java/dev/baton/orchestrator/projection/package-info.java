/** The run list's view: the trace folded into the run table, exactly once. */
@NullMarked
package dev.baton.orchestrator.projection;

import org.jspecify.annotations.NullMarked;
