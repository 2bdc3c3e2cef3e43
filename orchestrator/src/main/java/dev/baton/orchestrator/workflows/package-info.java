/** Workflow definitions, stored immutably by content hash. */
@NullMarked
package dev.baton.orchestrator.workflows;

import org.jspecify.annotations.NullMarked;
