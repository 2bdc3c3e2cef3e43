/** Tests of the feature with this name. */
@NullMarked
package dev.baton.orchestrator.runs;

import org.jspecify.annotations.NullMarked;
