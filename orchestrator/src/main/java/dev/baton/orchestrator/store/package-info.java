/** The channel to the checkpoint-store, and the mapping of its errors to problems. */
@NullMarked
package dev.baton.orchestrator.store;

import org.jspecify.annotations.NullMarked;
