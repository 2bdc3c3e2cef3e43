/**
 * Workflow definitions: reading them from YAML or JSON, checking them, and the records a runner
 * walks.
 */
@NullMarked
package dev.baton.protocol.workflow;

import org.jspecify.annotations.NullMarked;
