/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.liveness;

import org.jspecify.annotations.NullMarked;
