/** What each kind of step does in one attempt. Order, retries and the trace are the engine's. */
@NullMarked
package dev.baton.runner.steps;

import org.jspecify.annotations.NullMarked;
