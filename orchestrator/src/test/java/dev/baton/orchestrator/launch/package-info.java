/** Tests of the feature with this name. */
@NullMarked
package dev.baton.orchestrator.launch;

import org.jspecify.annotations.NullMarked;
