/**
 * Captures a directory tree as one compressed, deterministic archive with a digest that names the
 * tree's exact state, restores it safely, copies it, and merges what parallel branches changed in
 * their copies of it. No framework, no network.
 */
@NullMarked
package dev.baton.snapshot;

import org.jspecify.annotations.NullMarked;
