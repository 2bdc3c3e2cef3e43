/** Failover: decides and starts the next epoch of a run that has lost its runner. */
@NullMarked
package dev.baton.orchestrator.failover;

import org.jspecify.annotations.NullMarked;
