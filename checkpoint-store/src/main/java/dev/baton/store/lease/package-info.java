/** Verifies lease tokens with the keys that the orchestrator publishes. */
@NullMarked
package dev.baton.store.lease;

import org.jspecify.annotations.NullMarked;
