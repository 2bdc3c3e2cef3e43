/** The streams on which runners are assigned runs and sent commands. */
@NullMarked
package dev.baton.orchestrator.gateway;

import org.jspecify.annotations.NullMarked;
