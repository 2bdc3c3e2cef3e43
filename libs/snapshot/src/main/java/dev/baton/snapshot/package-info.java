/**
 * Captures a directory tree at the cost of what has changed, restores it exactly, copies it, and
 * merges what parallel branches changed in their copies of it. This package has the public API and
 * the ports to the stores of packs; its subpackages have the implementation. No framework, no
 * network.
 */
@NullMarked
package dev.baton.snapshot;

import org.jspecify.annotations.NullMarked;
