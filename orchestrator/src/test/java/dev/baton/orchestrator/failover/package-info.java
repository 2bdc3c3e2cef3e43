/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.failover;

import org.jspecify.annotations.NullMarked;
