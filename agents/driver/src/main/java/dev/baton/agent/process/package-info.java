/** Processes of agents: programs, environments, lines, and the session around them. */
@NullMarked
package dev.baton.agent.process;

import org.jspecify.annotations.NullMarked;
