/** Walks a workflow: what runs next, when it is repeated, and what the trace says about it. */
@NullMarked
package dev.baton.runner.engine;

import org.jspecify.annotations.NullMarked;
