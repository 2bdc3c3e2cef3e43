/** Checkpoints over REST: looked up in the checkpoint-store, created by the run's runner. */
@NullMarked
package dev.baton.orchestrator.checkpoints;

import org.jspecify.annotations.NullMarked;
