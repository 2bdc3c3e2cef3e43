/**
 * Boundaries: the moments at which no tool call of an agent is open, and what is captured there.
 */
@NullMarked
package dev.baton.gateway.boundary;

import org.jspecify.annotations.NullMarked;
