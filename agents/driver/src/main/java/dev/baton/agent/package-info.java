/**
 * Drivers of coding agents behind one interface: start, resume at a boundary, events, interrupt,
 * state files, version.
 */
@NullMarked
package dev.baton.agent;

import org.jspecify.annotations.NullMarked;
