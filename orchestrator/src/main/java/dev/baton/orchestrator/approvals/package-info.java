/** Approvals: requests to people and their answers, each accepted once. */
@NullMarked
package dev.baton.orchestrator.approvals;

import org.jspecify.annotations.NullMarked;
