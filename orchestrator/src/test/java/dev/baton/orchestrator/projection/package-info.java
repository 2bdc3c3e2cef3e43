/** Tests of the feature with this name. */
@NullMarked
package dev.baton.orchestrator.projection;

import org.jspecify.annotations.NullMarked;
