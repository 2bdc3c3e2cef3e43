/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.reconcile;

import org.jspecify.annotations.NullMarked;
