/** One key, one effect: stored responses, so that a repeated request has no second effect. */
@NullMarked
package dev.baton.orchestrator.idempotency;

import org.jspecify.annotations.NullMarked;
