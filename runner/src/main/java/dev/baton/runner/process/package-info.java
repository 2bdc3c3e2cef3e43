/**
 * Child processes of steps: started in a session of their own, so that nothing of them outlives the
 * step.
 */
@NullMarked
package dev.baton.runner.process;

import org.jspecify.annotations.NullMarked;
