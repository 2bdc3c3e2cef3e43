/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.launch;

import org.jspecify.annotations.NullMarked;
