/** Tests of this package. */
@NullMarked
package dev.baton.orchestrator.approvals;

import org.jspecify.annotations.NullMarked;
