/**
 * Sandboxes for the programs of steps, created by bubblewrap: mount, process, user and network
 * namespaces in which a program sees what its step needs.
 */
@NullMarked
package dev.baton.runner.sandbox;

import org.jspecify.annotations.NullMarked;
