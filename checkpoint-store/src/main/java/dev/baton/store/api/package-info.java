/** What runners, the orchestrator and people ask: gRPC and read-only REST on one port. */
@NullMarked
package dev.baton.store.api;

import org.jspecify.annotations.NullMarked;
