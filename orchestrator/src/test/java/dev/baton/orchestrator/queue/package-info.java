/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.queue;

import org.jspecify.annotations.NullMarked;
