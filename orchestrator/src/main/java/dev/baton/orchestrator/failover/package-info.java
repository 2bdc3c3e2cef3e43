/** What happens to a run when its runner is gone. */
@NullMarked
package dev.baton.orchestrator.failover;

import org.jspecify.annotations.NullMarked;
