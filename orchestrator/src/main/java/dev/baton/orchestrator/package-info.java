/** The orchestrator: runs and approvals, liveness, failover, launchers. One package per feature. */
@NullMarked
package dev.baton.orchestrator;

import org.jspecify.annotations.NullMarked;
