/**
 * Sessions of the built-in loop: conversation, typed slices with reducers, and the file of both.
 */
@NullMarked
package dev.baton.agent.loop.session;

import org.jspecify.annotations.NullMarked;
