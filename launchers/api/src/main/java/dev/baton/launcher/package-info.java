/**
 * The port between the orchestrator and the places where runners execute: hosts, containers, pods.
 */
@NullMarked
package dev.baton.launcher;

import org.jspecify.annotations.NullMarked;
