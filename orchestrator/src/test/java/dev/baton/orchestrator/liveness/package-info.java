/** Tests of the feature with this name. */
@NullMarked
package dev.baton.orchestrator.liveness;

import org.jspecify.annotations.NullMarked;
