/** Tests of what agents get from the runner. */
@NullMarked
package dev.baton.runner.agents;

import org.jspecify.annotations.NullMarked;
