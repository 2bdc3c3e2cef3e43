/** The API for runners, the orchestrator and people: gRPC and read-only REST on one port. */
@NullMarked
package dev.baton.store.api;

import org.jspecify.annotations.NullMarked;
