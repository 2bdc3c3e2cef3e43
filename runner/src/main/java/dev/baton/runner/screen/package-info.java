/**
 * Screens of interactive steps: a tmux server for each, the terminals that people attach to it, and
 * what checkpoints keep of it.
 */
@NullMarked
package dev.baton.runner.screen;

import org.jspecify.annotations.NullMarked;
