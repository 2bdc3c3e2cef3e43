/** Which lease tokens count: verified with the keys that the orchestrator publishes. */
@NullMarked
package dev.baton.store.lease;

import org.jspecify.annotations.NullMarked;
