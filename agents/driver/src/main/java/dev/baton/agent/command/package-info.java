/** Any program as an agent. */
@NullMarked
package dev.baton.agent.command;

import org.jspecify.annotations.NullMarked;
