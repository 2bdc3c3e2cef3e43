/** Tests of the feature with this name. */
@NullMarked
package dev.baton.orchestrator.approvals;

import org.jspecify.annotations.NullMarked;
