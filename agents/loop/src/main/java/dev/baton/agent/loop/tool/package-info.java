/** The tools of the built-in loop. */
@NullMarked
package dev.baton.agent.loop.tool;

import org.jspecify.annotations.NullMarked;
