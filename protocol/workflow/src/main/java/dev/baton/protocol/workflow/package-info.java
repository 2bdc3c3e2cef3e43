/**
 * Workflow definitions: parses them from YAML, JSON or DOT, checks them, and defines the records
 * that a runner executes.
 */
@NullMarked
package dev.baton.protocol.workflow;

import org.jspecify.annotations.NullMarked;
