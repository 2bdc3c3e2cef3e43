/**
 * Executes a workflow: decides which step runs next and when it is retried, and writes its events.
 */
@NullMarked
package dev.baton.runner.engine;

import org.jspecify.annotations.NullMarked;
