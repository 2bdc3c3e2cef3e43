/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.lease;

import org.jspecify.annotations.NullMarked;
