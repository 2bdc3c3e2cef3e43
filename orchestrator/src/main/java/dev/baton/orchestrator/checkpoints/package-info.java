/** Checkpoints over REST: asked of the checkpoint-store, made by the run's runner. */
@NullMarked
package dev.baton.orchestrator.checkpoints;

import org.jspecify.annotations.NullMarked;
