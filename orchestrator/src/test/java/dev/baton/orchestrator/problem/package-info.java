/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.problem;

import org.jspecify.annotations.NullMarked;
