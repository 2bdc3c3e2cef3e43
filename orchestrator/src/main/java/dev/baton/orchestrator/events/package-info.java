/** A run's events, relayed from the checkpoint-store. */
@NullMarked
package dev.baton.orchestrator.events;

import org.jspecify.annotations.NullMarked;
