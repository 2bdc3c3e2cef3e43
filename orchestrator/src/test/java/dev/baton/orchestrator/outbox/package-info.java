/** Tests of the feature with this name. */
@NullMarked
package dev.baton.orchestrator.outbox;

import org.jspecify.annotations.NullMarked;
