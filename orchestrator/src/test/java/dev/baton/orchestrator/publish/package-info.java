/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.publish;

import org.jspecify.annotations.NullMarked;
