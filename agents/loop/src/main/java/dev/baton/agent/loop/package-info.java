/**
 * The built-in agent loop ({@code use: loop}): its driver, and the program that the driver starts.
 */
@NullMarked
package dev.baton.agent.loop;

import org.jspecify.annotations.NullMarked;
