/** Tests of the feature with this name. */
@NullMarked
package dev.baton.orchestrator.failover;

import org.jspecify.annotations.NullMarked;
