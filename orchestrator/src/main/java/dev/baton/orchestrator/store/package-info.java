/** The one connection to the checkpoint-store, and what its refusals mean to a caller of ours. */
@NullMarked
package dev.baton.orchestrator.store;

import org.jspecify.annotations.NullMarked;
