/**
 * Captures a directory tree at the cost of what has changed, restores it exactly, copies it, and
 * merges what parallel branches changed in their copies of it. Here is what others use, with the
 * ports to where packs are stored; the packages below have the work. No framework, no network.
 */
@NullMarked
package dev.baton.snapshot;

import org.jspecify.annotations.NullMarked;
