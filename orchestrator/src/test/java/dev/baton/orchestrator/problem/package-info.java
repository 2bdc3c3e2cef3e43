/** Tests of the feature with this name. */
@NullMarked
package dev.baton.orchestrator.problem;

import org.jspecify.annotations.NullMarked;
