/** The orchestrator: runs and approvals, liveness, failover, launchers. Packages are features. */
@NullMarked
package dev.baton.orchestrator;

import org.jspecify.annotations.NullMarked;
