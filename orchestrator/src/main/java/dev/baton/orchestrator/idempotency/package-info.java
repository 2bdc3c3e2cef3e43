/** One key, one effect: answers kept so that a repeated request is not a second one. */
@NullMarked
package dev.baton.orchestrator.idempotency;

import org.jspecify.annotations.NullMarked;
