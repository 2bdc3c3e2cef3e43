/** Tests of the feature with this name. */
@NullMarked
package dev.baton.orchestrator.lease;

import org.jspecify.annotations.NullMarked;
