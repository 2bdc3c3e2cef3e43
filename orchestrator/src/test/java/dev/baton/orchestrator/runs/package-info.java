/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.runs;

import org.jspecify.annotations.NullMarked;
