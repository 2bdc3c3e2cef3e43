/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.outbox;

import org.jspecify.annotations.NullMarked;
